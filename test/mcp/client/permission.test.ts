import assert from "node:assert/strict";
import { dirname } from "node:path";
import { test, type TestContext } from "node:test";
import { systemClock } from "../../../src/core/clock.ts";
import { applySettings, defaultConfiguration } from "../../../src/config/configuration.ts";
import type { Runtime } from "../../../src/runtime/create-runtime.ts";
import type { Settings } from "../../../src/config/settings.ts";
import { openMcpServers } from "../../../src/runtime/open-mcp-servers.ts";
import { inMode } from "../../process/support.ts";
import { afterTest } from "../../support/after-test.ts";
import { openRuntime } from "../../support/runtime.ts";
import { patienceMs, serverFile } from "./support.ts";

/** A runtime with the tools of the small server in its catalog. */
async function openWithServer(
  t: TestContext,
  more: { readonly trust_annotations?: boolean } = {},
  settings: Settings = { sandbox: "off", permissions: { allow: ["small__sum"] } },
): Promise<Runtime> {
  const small = { command: process.execPath, args: [serverFile], ...more };
  const runtime = await openRuntime(t, { settings });
  const servers = await openMcpServers({
    configuration: applySettings(defaultConfiguration, { mcpServers: { small } }),
    workdir: runtime.workdir,
    stateFolder: runtime.stateFolder,
    isKept: false,
    catalog: runtime.tools,
    processes: runtime.processes,
    clock: systemClock,
    env: {},
    childEnv: { PATH: process.env["PATH"]! },
  });
  afterTest(t, () => servers.close());
  await servers.load(patienceMs);
  return runtime;
}

test("a model's call of a server's tool needs a yes, by a person or a rule, and is recorded like any other [C9]", async (t) => {
  const runtime = await openWithServer(t);
  const asked = await runtime.call("small__echo", { text: "x" }, { door: "agent" });
  assert.deepEqual([asked.state, asked.errorType, asked.runPhase], ["cancelled", "denied", "not_started"]);
  const allowed = await runtime.call("small__sum", { a: 1, b: 1 }, { door: "agent" });
  assert.deepEqual([allowed.state, allowed.result?.data], ["completed", { sum: 2 }]);
  const recorded = await runtime.get(allowed.id);
  assert.deepEqual([recorded?.toolId, recorded?.state], ["small__sum", "completed"]);
});

test("a tool that a trusted server calls read-only runs without a question [C9]", async (t) => {
  const runtime = await openWithServer(t, { trust_annotations: true });
  const { state } = await runtime.call("small__echo", { text: "x" }, { door: "agent" });
  assert.equal(state, "completed");
  const { errorType } = await runtime.call("small__pid", {}, { door: "agent" });
  assert.equal(errorType, "denied");
});

test(
  "in the mode auto a server's tool is asked about also where the sandbox holds its program [C9]",
  inMode("require"),
  async (t) => {
    // The sandbox has a /tmp of its own: what lies below the real one is seen only where it is named.
    const writable = [dirname(serverFile), dirname(process.execPath)];
    const settings: Settings = { sandbox: { mode: "require", writable }, permissions: { mode: "auto" } };
    const runtime = await openWithServer(t, {}, settings);
    const { state, errorType, permission } = await runtime.call("small__pid", {}, { door: "agent" });
    assert.deepEqual([state, errorType, permission?.decision], ["cancelled", "denied", "deny"]);
  },
);

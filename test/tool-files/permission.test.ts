import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test, type TestContext } from "node:test";
import type { ApprovalRequest } from "../../src/core/approval.ts";
import type { PermissionMode } from "../../src/core/permission.ts";
import type { Runtime } from "../../src/runtime/create-runtime.ts";
import { inMode } from "../process/support.ts";
import { lane } from "../support/require.ts";
import { afterTest } from "../support/after-test.ts";
import { openToolBench, saying } from "./support.ts";

const changing = saying("done", { traits: {}, input_schema: { type: "object" } });

/** A model's view: the mode decides, and the person says no. */
async function openAsked(
  t: TestContext,
  files: Readonly<Record<string, string>>,
  settings: { readonly mode: PermissionMode; readonly sandbox: "off" | "require" },
): Promise<{ readonly runtime: Runtime; readonly asked: ApprovalRequest[] }> {
  const bench = await openToolBench(t, files);
  const asked: ApprovalRequest[] = [];
  const runtime = await bench.open({
    settings: { permissions: { mode: settings.mode }, sandbox: settings.sandbox },
    approve(request) {
      asked.push(request);
      return Promise.resolve({ decision: "deny", who: "kim" });
    },
  });
  return { runtime, asked };
}

test(
  "in the mode auto a tool file that the sandbox holds runs without a question, also with a url in its input [C5]",
  inMode("require"),
  async (t) => {
    const { runtime, asked } = await openAsked(t, { "say.ts": changing }, { mode: "auto", sandbox: "require" });
    for (const input of [{}, { url: "https://example.com" }]) {
      const { state, permission, sandbox } = await runtime.call("say", input, { door: "agent" });
      assert.deepEqual([state, permission?.by], ["completed", "mode"]);
      assert.notEqual(sandbox?.kind, "none");
    }
    assert.equal(asked.length, 0);
  },
);

test("in the mode auto a tool file that nothing holds is asked about; in the others it is as ever [C5]", async (t) => {
  const answers: Record<string, unknown> = {};
  for (const mode of ["ask", "accept-edits", "auto", "plan", "never"] as const) {
    const { runtime, asked } = await openAsked(t, { "say.ts": changing }, { mode, sandbox: "off" });
    const { state } = await runtime.call("say", {}, { door: "agent" });
    answers[mode] = [state, asked.length];
  }
  assert.deepEqual(answers, {
    ask: ["cancelled", 1],
    "accept-edits": ["cancelled", 1],
    auto: ["cancelled", 1],
    plan: ["cancelled", 0],
    never: ["cancelled", 0],
  });
});

test(
  "a process that was started while the network was there does not go on in a mode without it [C5]",
  inMode("require"),
  async (t) => {
    const server = createServer((_, response) => response.end("reached"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    afterTest(t, () => new Promise((resolve) => server.close(resolve)));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const fetching = `${changing.split("export const run")[0]}
export async function run() {
  try {
    return await (await fetch(${JSON.stringify(url)}, { headers: { connection: "close" } })).text();
  } catch {
    return "cut off";
  }
}
`;
    const { runtime } = await openAsked(t, { "say.ts": fetching }, { mode: "ask", sandbox: "require" });
    const call = async (): Promise<unknown> => (await runtime.call("say", {})).result?.output;
    assert.equal(await call(), "reached");
    runtime.permissionMode = "auto";
    const { network } = await runtime.processes.sandbox();
    if (network) return t.skip(lane("bwrap", "a sandbox can't cut off the network here").skip);
    const held = await runtime.call("say", {}, { door: "agent" });
    assert.deepEqual([held.result?.output, held.sandbox?.network], ["cut off", false]);
    runtime.permissionMode = "ask";
    assert.equal(await call(), "reached");
  },
);

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { inMode } from "../process/support.ts";
import { program } from "../mcp/client/support.ts";
import { openMachine } from "./support.ts";

describe("a change to a mode without the network", inMode("require"), () => {
  test("takes it from MCP servers that run already [G4]", async (t) => {
    const { workdir, open } = await openMachine(t);
    const transport = program(`log=${workdir}/log`);
    assert.ok(transport.kind === "stdio");
    const { command, args } = transport;
    const runtime = await open({
      settings: { mcpServers: { small: { command, args: [...args] } }, permissions: { mode: "ask", allow: ["*"] } },
    });
    await runtime.prepareTools();
    const echo = async () => {
      const { state, error, sandbox } = await runtime.call("small__echo", { text: "x" });
      assert.equal(state, "completed", error ?? "");
      return sandbox?.network;
    };
    assert.equal(await echo(), true);
    runtime.permissionMode = "auto";
    assert.equal(await echo(), false);
    runtime.permissionMode = "ask";
    assert.equal(await echo(), true);
  });
});

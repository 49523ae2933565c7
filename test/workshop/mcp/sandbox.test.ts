import assert from "node:assert/strict";
import { test } from "node:test";
import { inMode } from "../../process/support.ts";
import { openWorld, patienceMs, program, settingOf } from "./support.ts";

test(
  "a server runs in the sandbox that holds every command, and its calls say so [C9 L7]",
  inMode("require"),
  async (t) => {
    const world = await openWorld(t, [settingOf(program())], { sandbox: "auto", cancelMs: 50 });
    await world.servers.load(patienceMs);
    const { engine } = world.engine();
    const echo = await engine.call({ tool: "small__echo", input: { text: "inside" } });
    assert.deepEqual([echo.result?.output, echo.sandbox?.kind], ["you said inside", "bwrap"]);
    const running = engine.call({ tool: "small__deaf", input: {} });
    engine.cancel(running.id, "enough");
    const { state, stopProof } = await running;
    assert.deepEqual([state, stopProof], ["cancelled", "namespace"]);
  },
);

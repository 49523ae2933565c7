import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../../support/runtime.ts";
import { inMode } from "../../process/support.ts";
import { openWorld, patienceMs, program, settingOf } from "./support.ts";

test(
  "a server runs in the sandbox that holds every command, and its calls say so [C9 E4 G4]",
  inMode("require"),
  async (t) => {
    const world = await openWorld(t, (folder) => [settingOf(program(`log=${folder}/log`))], {
      sandbox: "auto",
      cancelMs: 50,
    });
    await world.servers.load(patienceMs);
    const { engine } = world.engine();
    const echo = await engine.call({ tool: "small__echo", input: { text: "inside" } });
    assert.deepEqual([echo.result?.output, echo.sandbox?.kind], ["you said inside", "bwrap"]);
    const running = engine.call({ tool: "small__deaf", input: {} });
    await until("the call is there", () => world.logged().filter((line) => line === "got tools/call").length === 2);
    engine.cancel(running.id, "enough");
    const { state, stopProof } = await running;
    assert.deepEqual([state, stopProof], ["cancelled", "namespace"]);
  },
);

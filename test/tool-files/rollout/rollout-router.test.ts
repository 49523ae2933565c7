import assert from "node:assert/strict";
import { test } from "node:test";
import type { Execution } from "../../../src/core/call.ts";
import type { Tool, ToolContext } from "../../../src/core/tool.ts";
import { createRolloutRouter } from "../../../src/tool-files/rollout/service/rollout-router.ts";
import { allPassed, me, openReleaseBench } from "./release-bench.ts";

function say(version: string, quality: Tool["quality"]): Tool {
  return {
    name: "say",
    description: "",
    inputSchema: {},
    traits: { readOnly: false, risk: "low", idempotent: false, category: "", offeredIn: [], replay: "never" },
    version,
    ...(quality && { quality }),
    check: (input) => ({ ok: true, input }),
    run: async () => ({ ok: true, output: "text" }),
  };
}

/** What is noted of a result on a canary that has no form any more, where stable's has one. */
async function wrongOn(origin: "person" | "agent"): Promise<string | null | undefined> {
  const { store, clock, registry, introduce } = openReleaseBench({ stages: [99, 100] });
  await introduce("aa");
  await introduce("bb", { origin });
  const claimed = await registry.claimReplay("say", me, () => false);
  await registry.endReplay("say", claimed!.id, allPassed);
  const stable = say("say@aa", { checkOutput: () => "The output is not JSON." });
  const router = createRolloutRouter({
    store,
    registry,
    clock,
    isFromFile: () => true,
    openVersion: () => say("say@bb", undefined),
    findTool: () => undefined,
  });
  for (let number = 0; ; number++) {
    const execution = { id: `call_${number}`, conversationId: null, door: "agent" } as Partial<Execution> as Execution;
    const { tool, route } = router.route(stable, execution);
    if (route === "stable") continue;
    const context = { executionId: execution.id, signal: new AbortController().signal } as ToolContext;
    assert.deepEqual(await tool.run({}, context), { ok: true, output: "text" });
    return router.takeRun(execution.id)?.trial?.wrong;
  }
}

test("what an agent made is judged by what stable says a right result is; a person may change that [V4]", async () => {
  assert.equal(await wrongOn("agent"), "The output is not JSON.");
  assert.equal(await wrongOn("person"), undefined);
});

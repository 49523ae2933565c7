import assert from "node:assert/strict";
import type { Answer } from "../../src/core/approval.ts";
import type { Tool, ToolContext, ToolResult } from "../../src/core/tool.ts";
import { createLatch, looseTool, setUpEngine, type EngineUnderTest, type Latch } from "../support/engine.ts";
import { createManualClock, type ManualClock } from "../support/manual-clock.ts";

export const second = 1000;

export interface Stage extends EngineUnderTest<ManualClock> {
  /** What the tool was given, once it runs. */
  readonly context: () => ToolContext;
  readonly end: Latch;
}

/** An engine on a manual clock with one tool, `slow`: 10 s wall, 3 s idle, 1 s to stop. */
export function setUpSlowTool(
  options: Partial<Tool> & { readonly ignoresSignal?: boolean; ask?: () => Promise<Answer> } = {},
): Stage {
  const { ignoresSignal, ask, ...given } = options;
  const end = createLatch();
  let context: ToolContext | undefined;
  const slow: Tool = {
    ...looseTool({
      name: "slow",
      timeoutMs: 10 * second,
      idleMs: 3 * second,
      stopMs: second,
      resources: () => [],
      async run(_input, seen): Promise<ToolResult> {
        context = seen;
        const stopped = createLatch();
        if (!ignoresSignal) seen.signal.addEventListener("abort", () => stopped.open());
        await Promise.race([end.opened, stopped.opened]);
        return { ok: true, output: "returned" };
      },
    }),
    ...given,
  };
  const clock = createManualClock();
  const set = setUpEngine({ tools: [slow], clock, limits: { maxParallel: 1 }, ...(ask ? { ask } : {}) });
  return {
    ...set,
    end,
    context() {
      assert.ok(context, "the tool does not run");
      return context;
    },
  };
}

import { z } from "zod";
import { defineTool } from "../../src/core/define-tool.ts";
import type { Resource, Tool, ToolResult, ToolTraits } from "../../src/core/tool.ts";
import { createLatch, until, type Latch } from "./engine.ts";

/** A tool whose calls end when the test says so. A call's input is `{ name, touches?, ignoresSignal? }`. */
export interface LatchTool {
  readonly tool: Tool;
  /** The names of the calls that were started, in that order. */
  readonly started: readonly string[];
  /** The names of the calls that run now. */
  readonly running: ReadonlySet<string>;
  /** The most that ever ran together. */
  readonly peak: number;
  finish(name: string, result?: ToolResult): void;
  finishAll(): void;
  /** Resolves when this call runs. */
  runs(name: string): Promise<void>;
}

const latchInput = z.object({
  name: z.string(),
  touches: z.array(z.custom<Resource>()).optional(),
  ignoresSignal: z.boolean().optional(),
});

export function createLatchTool(
  options: { readonly name?: string; readonly traits?: Partial<ToolTraits> } = {},
): LatchTool {
  const started: string[] = [];
  const running = new Set<string>();
  const ends = new Map<string, Latch & { result: ToolResult }>();
  let all = false;
  let peak = 0;

  function endOf(name: string): Latch & { result: ToolResult } {
    let end = ends.get(name);
    if (!end) ends.set(name, (end = { ...createLatch(), result: { ok: true, output: name } }));
    return end;
  }

  return {
    started,
    running,
    get peak() {
      return peak;
    },
    finish(name, result) {
      const end = endOf(name);
      if (result) end.result = result;
      end.open();
    },
    finishAll() {
      all = true;
      for (const end of ends.values()) end.open();
    },
    runs: (name) => until(() => running.has(name), `${name} to run`),
    tool: defineTool({
      name: options.name ?? "latch",
      description: "Waits to be told to end.",
      input: latchInput,
      ...(options.traits ? { traits: options.traits } : {}),
      resources: ({ touches }) => touches ?? [],
      async run({ name, ignoresSignal }, { signal }) {
        started.push(name);
        running.add(name);
        peak = Math.max(peak, running.size);
        const end = endOf(name);
        const stopped = createLatch();
        if (ignoresSignal !== true) signal.addEventListener("abort", () => stopped.open(), { once: true });
        try {
          if (!all) await Promise.race([end.opened, stopped.opened]);
          return end.result;
        } finally {
          running.delete(name);
        }
      },
    }),
  };
}

import { nextMode } from "./change-mode.ts";
import type { RunRenderer } from "../output/run-renderer.ts";
import { readPrompt } from "./prompt-parts.ts";
import type { ReplContext, ShownCall } from "./repl-context.ts";
import { showOutput } from "./show-agent-run.ts";
import { watchInterrupts } from "./watch-interrupts.ts";

export interface RunParts {
  readonly renderer: RunRenderer;
  /** Gives the terminal back and ends the program. */
  readonly leave: () => void;
  readonly leaving: AbortSignal;
  readonly onCall: (call: ShownCall) => void;
}

/** Sends a prompt and shows what the agent does, until it is over. `interrupted`: one more Ctrl-C leaves. */
export async function runHere(
  context: ReplContext,
  text: string,
  { renderer, leave, leaving, onCall }: RunParts,
): Promise<"interrupted" | void> {
  const { runtime, agent, input } = context;
  const stopAgent = agent.on((event) => {
    renderer.agent(event);
    if (event.type === "call:added")
      onCall({ title: `${event.tool} ${event.title}`.trim(), executionId: event.executionId });
  });
  const stopRuntime = runtime.on("*", (event) => renderer.runtime(event));
  const interrupts = watchInterrupts({ input, agent, tell: (line) => renderer.note(line), leave, leaving });
  const stopKeys = input.onKey((key) => {
    if (key.kind !== "key") return false;
    if (key.name === "shift-tab") nextMode(context);
    else if (key.name !== "ctrl-o") return false;
    else showOutput(context, "").catch(() => undefined);
    return true;
  });
  try {
    const { parts, problems } = await readPrompt(text, {
      runtime,
      conversationId: agent.sessionId,
      acceptsImages: agent.model.acceptsImages,
      signal: interrupts.signal,
    });
    for (const problem of problems) renderer.note(problem);
    if (!interrupts.signal.aborted) await agent.send(parts, { signal: interrupts.signal });
    return interrupts.isLeavingNext ? "interrupted" : undefined;
  } finally {
    stopKeys();
    interrupts.end();
    stopAgent();
    stopRuntime();
    renderer.end();
  }
}

import type { EmitAgent } from "../core/agent-events.ts";
import { clipText } from "../core/cut-text.ts";
import { isFinal } from "../core/execution.ts";
import { titleOfCall } from "./call-title.ts";
import type { StartedCall } from "./early-calls.ts";
import type { AgentHost } from "./host.ts";

/** Tells that the call is on its way and, later, what became of it. */
export function followCall(
  { call, executionId, execution, isEarly }: StartedCall,
  { host, emit }: { readonly host: AgentHost; readonly emit: EmitAgent },
): void {
  const { callId } = call;
  const tool = host.canonicalName(call.tool) ?? call.tool;
  emit("call:added", { callId, executionId, tool, title: host.maskText(titleOfCall(call.inputText)), isEarly });
  void execution.then((raw) => {
    const { toolId, state, error, errorType, durationMs, result, outputBytes } = host.maskExecution(raw);
    const output = result?.output ?? "";
    emit("call:settled", {
      callId,
      executionId,
      tool: toolId ?? call.tool,
      state: isFinal(state) ? state : "failed",
      error,
      errorType,
      durationMs,
      output: clipText(output, shownCharacters),
      outputBytes,
      outputLines: output.trimEnd().split("\n").length,
      ...(result?.ok === false && result.hint !== undefined ? { hint: result.hint } : {}),
      diff: state === "completed" ? diffIn(output) : null,
    });
  });
}

const shownCharacters = 2000;

/** Tools that change a file show the change at the end of their output. */
function diffIn(output: string): string | null {
  const at = output.search(/^--- [^\n]+\n\+\+\+ /m);
  return at === -1 ? null : output.slice(at);
}

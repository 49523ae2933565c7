import { clipText } from "../../core/cut-text.ts";
import type { InputProblem, ToolResult } from "../../core/tool.ts";
import type { EndReason, HostEnd } from "./explain-end.ts";
import type { HostOutcome } from "./tool-host.ts";

export function failure({ error, errorType, hint }: EndReason, { stderr, stoppedFor }: HostEnd): ToolResult {
  const said = stoppedFor === "cancel" ? "" : clipText(stderr.trimEnd().slice(-2000), 2000);
  return {
    ok: false,
    error,
    errorType,
    ...(hint === undefined ? {} : { hint }),
    ...(said === "" ? {} : { output: said }),
  };
}

export function invalidOutcome(problems: readonly InputProblem[]): HostOutcome {
  const error = `The input does not fit: ${problems
    .slice(0, 10)
    .map(({ message }) => message)
    .join("; ")}.`;
  return { result: { ok: false, error, errorType: "invalid_input" }, entered: false, problems };
}

export function checkEnded({ stoppedFor }: HostEnd): string {
  return stoppedFor === "check"
    ? "the input: checking it took too long; a pattern of the schema may need for ever"
    : "the input: the process that checks it ended";
}

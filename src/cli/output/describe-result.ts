import type { AgentEvent } from "../../core/agent-events.ts";
import { cleanText } from "../../guard/terminal-text/clean-text.ts";
import { neutralizeLine } from "../terminal/terminal-text.ts";
import { countOf, formatSize } from "./format-figures.ts";

type Settled = AgentEvent<"call:settled">;

/** What came of a call in a few words: `120 lines`, `exit 1`, `+3 −1`, `refused`. Empty: that it is done says it all. */
export function describeResult(settled: Settled): string {
  const { state, errorType, error } = settled;
  switch (state) {
    case "completed":
      return describeOutput(settled);
    case "cancelled":
      return errorType === "denied" ? "refused" : "cancelled";
    case "timeout":
      return "timed out";
    case "failed":
      return describeFailure(errorType, error);
  }
}

/** How it ended needs no sentence more. */
export function saysAll({ state, errorType }: Settled): boolean {
  return state === "completed" || (state === "failed" && errorType === "exit_code");
}

function describeFailure(errorType: Settled["errorType"], error: string | null): string {
  const code = errorType === "exit_code" ? /code (\d+)/.exec(error ?? "")?.[1] : undefined;
  if (code !== undefined) return `exit ${code}`;
  if (errorType === "denied") return "refused";
  if (errorType === "runtime_lost") return "outcome unknown";
  return errorType === null ? "failed" : neutralizeLine(errorType).replaceAll("_", " ");
}

function describeOutput({ tool, output, outputBytes, outputLines, diff }: Settled): string {
  if (diff !== null) return countChanges(diff);
  if (output.trim() === "") return tool === "bash" ? "no output" : "";
  const isWhole = Buffer.byteLength(output) >= outputBytes;
  const lines = outputLines ?? (isWhole ? countLines(output) : null);
  if (lines === null) return formatSize(outputBytes);
  const only = neutralizeLine(cleanText(output)).trim();
  if (lines === 1 && only.length <= longestAnswer && !countedTools.has(tool)) return only;
  return countOf(lines, nouns[tool] ?? "line");
}

const longestAnswer = 60;
const countedTools = new Set(["read", "glob", "grep"]);
const nouns: Readonly<Record<string, string>> = { glob: "file" };

function countLines(text: string): number {
  return text.trimEnd().split("\n").length;
}

function countChanges(diff: string): string {
  const lines = diff.split("\n");
  const added = lines.filter((line) => line.startsWith("+") && !line.startsWith("+++")).length;
  const removed = lines.filter((line) => line.startsWith("-") && !line.startsWith("---")).length;
  return `+${added} −${removed}`;
}

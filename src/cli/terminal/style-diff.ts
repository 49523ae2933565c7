import type { Terminal } from "./terminal.ts";

/** A unified diff in colours. */
export function styleDiff(diff: string, style: Terminal["style"]): string {
  return diff
    .split("\n")
    .map((line) => {
      if (line.startsWith("+++") || line.startsWith("---")) return style("bold", line);
      if (line.startsWith("@@")) return style("cyan", line);
      if (line.startsWith("+")) return style("green", line);
      return line.startsWith("-") ? style("red", line) : line;
    })
    .join("\n");
}

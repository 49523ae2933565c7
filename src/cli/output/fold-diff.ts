import { neutralizeText, fitWidth } from "../terminal/terminal-text.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { styleDiff } from "../terminal/style-diff.ts";

const shownLines = 20;

/** The beginning of a diff in colours, indented and cut at the width; the last row says how much more there is. */
export function foldDiff(
  diff: string,
  { columns, style }: { readonly columns: number; readonly style: Terminal["style"] },
): string[] {
  const lines = neutralizeText(diff.trimEnd()).split("\n");
  // The name of the file stands in the row of the call.
  const body = lines.filter((line, index) => index > 1 || !/^(?:---|\+\+\+) /.test(line));
  const hidden = body.length > shownLines + 1 ? body.length - shownLines : 0;
  const rows = body
    .slice(0, body.length - hidden)
    .map((line) => `  ${styleDiff(fitWidth(line.replaceAll("\t", "    "), columns - 2), style)}`);
  return hidden === 0 ? rows : [...rows, style("dim", fitWidth(`  … ${hidden} more`, columns))];
}

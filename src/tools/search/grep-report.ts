import { clipText } from "../../core/text.ts";
import type { ToolResult } from "../../core/tool.ts";
import { countOf, formatCount } from "../format-bytes.ts";
import type { GrepRecord } from "./grep-records.ts";
import { showPath } from "./locate-folder.ts";

/** What was found and how much of it may be shown. */
export interface Findings {
  readonly limit: number;
  /** The search was ended early: all totals are at least. */
  readonly isCut: boolean;
  readonly notes: readonly string[];
}

const maxCharacters = 30_000;
const longestLine = 400;

export function reportRecords(records: readonly GrepRecord[], findings: Findings): ToolResult {
  const total = records.filter(({ isMatch }) => isMatch).length;
  const files = new Set(records.map(({ path }) => path)).size;
  const shown = firstMatches(records, findings.limit);
  const lines: string[] = [];
  let characters = 0;
  let matches = 0;
  let last: GrepRecord | undefined;
  const hasGaps = shown.some(({ isMatch }) => !isMatch);
  for (const record of shown) {
    const added = layOut(record, last, hasGaps);
    characters += added.reduce((sum, line) => sum + line.length + 1, 0);
    if (characters > maxCharacters && matches > 0) break;
    lines.push(...added);
    if (record.isMatch) matches++;
    last = record;
  }
  if (matches < total || findings.isCut) {
    lines.push(
      `[${formatCount(matches)} of ${atLeast(findings)}${formatCount(total)} matching lines in ${countOf(files, "file")}. ${advice}]`,
    );
  }
  const data = shown.filter(({ isMatch }) => isMatch).slice(0, matches);
  return {
    ok: true,
    output: [...lines, ...findings.notes].join("\n"),
    data: {
      matches: data.map(({ path, line, text }) => ({ path, line, text: clipText(text, longestLine) })),
      total_matches: total,
      total_files: files,
      truncated: matches < total || findings.isCut,
    },
  };
}

export function reportCounts(counts: readonly { path: string; count: number }[], findings: Findings): ToolResult {
  const shown = counts.slice(0, findings.limit);
  const total = counts.reduce((sum, { count }) => sum + count, 0);
  const summary = `[${atLeast(findings)}${formatCount(total)} matching lines in ${countOf(counts.length, "file")}.${shown.length < counts.length ? ` ${advice}` : ""}]`;
  return {
    ok: true,
    output: [...shown.map(({ path, count }) => `${showPath(path)}: ${count}`), summary, ...findings.notes].join("\n"),
    data: {
      counts: shown,
      total_matches: total,
      total_files: counts.length,
      truncated: shown.length < counts.length || findings.isCut,
    },
  };
}

export function reportFiles(paths: readonly string[], findings: Findings): ToolResult {
  const shown = paths.slice(0, findings.limit);
  const isPart = shown.length < paths.length || findings.isCut;
  const note = isPart
    ? [`[${formatCount(shown.length)} of ${atLeast(findings)}${countOf(paths.length, "file")}. ${advice}]`]
    : [];
  return {
    ok: true,
    output: [...shown.map(showPath), ...note, ...findings.notes].join("\n"),
    data: { files: shown, total_files: paths.length, truncated: isPart },
  };
}

/** When nothing but binary files matches: that they do is known, not where and how often. */
export function reportBinaries(paths: readonly string[], { notes }: Findings): ToolResult {
  return {
    ok: true,
    output: [describeBinaries(paths), ...notes].join("\n"),
    data: { matches: [], total_matches: paths.length, total_files: paths.length, truncated: true },
  };
}

const mostNamed = 10;

export function describeBinaries(paths: readonly string[]): string {
  if (paths.length === 1) return `${showPath(paths[0]!)} is binary and matches.`;
  const named = paths.slice(0, mostNamed).map(showPath).join(", ");
  const more = paths.length > mostNamed ? ` and ${formatCount(paths.length - mostNamed)} more` : "";
  return `${named}${more} are binary and match.`;
}

const advice = "Narrow the pattern, path or glob, or raise limit.";

function atLeast({ isCut }: Findings): string {
  return isCut ? "at least " : "";
}

/** Up to the last match that fits the limit, with the context that follows it. */
function firstMatches(records: readonly GrepRecord[], limit: number): readonly GrepRecord[] {
  let matches = 0;
  const end = records.findIndex(({ isMatch }) => isMatch && ++matches > limit);
  if (end === -1) return records;
  // Context before the match that is not shown would dangle.
  let last = end;
  while (last > 0 && !records[last - 1]!.isMatch) last--;
  return records.slice(0, last);
}

/** A line of the report, after the file's name when that changes, and a gap where lines between are left out. */
function layOut(record: GrepRecord, last: GrepRecord | undefined, hasGaps: boolean): string[] {
  const text = clipText(record.text, longestLine);
  const line = `${record.line}${record.isMatch ? ":" : "-"}${text}${text.length < record.text.length ? "…" : ""}`;
  if (last?.path !== record.path) return [...(last === undefined ? [] : [""]), showPath(record.path), line];
  return hasGaps && record.line > last.line + 1 ? ["--", line] : [line];
}

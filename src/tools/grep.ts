import { stat } from "node:fs/promises";
import { relative } from "node:path";
import { z } from "zod";
import { clipText } from "../core/cut-text.ts";
import { defineTool } from "../core/define-tool.ts";
import { codeOf } from "../core/errors.ts";
import type { Tool, ToolResult } from "../core/tool.ts";
import type { Processes } from "../process/processes.ts";
import { asResult, failure } from "./failure.ts";
import type { Failure } from "./failure.ts";
import { countOf } from "./format-bytes.ts";
import { choosePaths } from "./grep-paths.ts";
import type { PathChoice } from "./grep-paths.ts";
import { parseCounts, parsePaths, parseRecords, recordOptions } from "./grep-records.ts";
import { describeBinaries, reportBinaries, reportCounts, reportFiles, reportRecords } from "./grep-report.ts";
import type { Findings } from "./grep-report.ts";
import { locate } from "./locate.ts";
import type { Located } from "./locate.ts";
import { showMatchesInLongLines } from "./long-lines.ts";
import type { RunSearch, SearchTerms } from "./long-lines.ts";
import { notFound } from "./open-file.ts";
import { isInOwnFolder, ownFolder } from "./own-folder.ts";
import { runRipgrep } from "./ripgrep.ts";
import type { RipgrepEnd } from "./ripgrep.ts";
import { resourcesOfSearch } from "./search-resources.ts";

const input = z.object({
  pattern: z.string().min(1).max(10_000).describe("Regular expression, Rust syntax"),
  path: z.string().optional().describe("File or folder, default the workdir"),
  glob: z.string().optional().describe("Only these files: *.ts, src/**; !*.md leaves some out"),
  type: z.string().optional().describe("Only this language: ts, py"),
  fixed_strings: z.boolean().optional().describe("The pattern is plain text"),
  ignore_case: z.boolean().optional(),
  multiline: z.boolean().optional().describe("Matches may span lines; . fits newlines"),
  context: z.number().int().min(0).max(50).optional().describe("Lines around each match"),
  output_mode: z.enum(["content", "files", "count"]).optional(),
  include_ignored: z.boolean().optional().describe("Also what git ignores"),
  limit: z.number().int().min(1).max(5000).optional().describe("Default 250"),
});

type GrepInput = z.output<typeof input>;

/** The regular expression runs in ripgrep, never in this process. */
export function createGrepTool(processes: Pick<Processes, "runCommand">): Tool<GrepInput> {
  return defineTool({
    name: "grep",
    description:
      "Search file contents with ripgrep: matching lines with numbers, or just files or counts. Binary files and what git ignores are left out.",
    traits: { readOnly: true, risk: "low", category: "search" },
    timeoutMs: 60_000,
    input,
    resources: resourcesOfSearch,
    run: (wanted, context) =>
      asResult(wanted.path ?? ".", context.signal, () =>
        grep(wanted, context.workdir, (request) => runRipgrep(processes, request, context)),
      ),
  });
}

async function grep(asked: GrepInput, workdir: string, run: RunSearch): Promise<ToolResult> {
  if (asked.pattern.includes("\0")) {
    return failure("pattern", "The pattern contains a NUL character.", "Send it without that character.");
  }
  const place = await locateSearch(asked.path ?? ".", workdir);
  if (!place.ok) return place;
  const wanted = isInOwnFolder(place) ? { ...asked, include_ignored: true } : asked;
  const path = relative(place.root, place.path) || ".";
  const choice = choosePaths({ glob: place.isOneFile ? undefined : wanted.glob, type: wanted.type, folder: path });
  if (!choice.ok) return choice;
  const how = { options: [...fixedOptions, ...patternOptions(wanted)], pattern: patternOf(wanted), cwd: place.root };
  const found = await run({
    ...how,
    options: [...how.options, ...choice.options, ...outputOptions(wanted)],
    paths: [path],
    memory: place.isOneFile ? "mapped" : "auto",
  });
  return found.ok ? report(found, wanted, { choice, how, run }) : found;
}

type SearchPlace = Located & { readonly isOneFile: boolean };

async function locateSearch(given: string, workdir: string): Promise<SearchPlace | Failure> {
  const located = await locate(given, workdir);
  if (!located.ok) return located;
  try {
    const stats = await stat(located.path);
    if (stats.isFile() || stats.isDirectory()) return { ...located, isOneFile: stats.isFile() };
    return failure("not_a_file", `${located.shown} is a pipe, socket or device.`, "Search a file or a folder.");
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return notFound(located);
    throw thrown;
  }
}

/** Exactly what git ignores is left out: no settings of this machine, no ignore files of other tools. */
const fixedOptions = [
  "--no-config",
  "--color=never",
  "--no-follow",
  "--hidden",
  "--glob=!.git",
  `--glob=!${ownFolder}`,
  "--crlf",
  "--no-require-git",
  "--no-ignore-dot",
  "--no-ignore-global",
];

function patternOptions(wanted: GrepInput): string[] {
  const options: string[] = [];
  if (isPlain(wanted)) options.push("--fixed-strings");
  if (wanted.ignore_case) options.push("--ignore-case");
  if (isMultiline(wanted)) options.push("--multiline", "--multiline-dotall");
  if (wanted.include_ignored) options.push("--no-ignore");
  return options;
}

function outputOptions({ output_mode = "content", context = 0 }: GrepInput): string[] {
  if (output_mode === "files") return ["--files-with-matches", "--null"];
  if (output_mode === "count") return ["--count", "--with-filename", "--null"];
  return [...recordOptions, `--context=${context}`];
}

function isMultiline({ multiline, pattern }: GrepInput): boolean {
  return multiline === true || pattern.includes("\n");
}

function isPlain({ fixed_strings, pattern }: GrepInput): boolean {
  return fixed_strings === true && !pattern.includes("\n");
}

/** A line break in the pattern fits both line endings. Plain text with one becomes a regular expression for that. */
function patternOf(wanted: GrepInput): string {
  if (!wanted.pattern.includes("\n")) return wanted.pattern;
  const lines = wanted.pattern.split(/\r?\n/);
  const parts = wanted.fixed_strings ? lines.map((line) => line.replaceAll(/[\\.+*?()|[\]{}^$#&~-]/g, "\\$&")) : lines;
  return parts.join("\\r?\\n");
}

async function report(
  { output, isCut, unreadable }: RipgrepEnd,
  wanted: GrepInput,
  { choice, how, run }: { choice: PathChoice; how: SearchTerms; run: RunSearch },
): Promise<ToolResult> {
  const notes = unreadable > 0 ? [`[${countOf(unreadable, "path")} could not be read.]`] : [];
  const findings: Findings = { limit: wanted.limit ?? 250, isCut, notes };
  const takes = ({ path }: { path: string }): boolean => choice.takes(path);
  if (wanted.output_mode === "files") {
    const paths = parsePaths(output).filter((path) => choice.takes(path));
    return paths.length === 0 ? nothing(wanted, notes) : reportFiles(paths.toSorted(), findings);
  }
  if (wanted.output_mode === "count") {
    const counts = parseCounts(output).filter(takes);
    return counts.length === 0 ? nothing(wanted, notes) : reportCounts(counts.toSorted(byPlace), findings);
  }
  const parsed = parseRecords(output, isCut);
  const records = parsed.records.filter(takes).toSorted(byPlace);
  const binaries = parsed.binaries.filter((path) => choice.takes(path));
  if (records.length === 0) return binaries.length > 0 ? reportBinaries(binaries, findings) : nothing(wanted, notes);
  const shown = isMultiline(wanted) ? records : await showMatchesInLongLines(records, how, run);
  const allNotes = binaries.length > 0 ? [`[${describeBinaries(binaries)}]`, ...notes] : notes;
  return reportRecords(shown, { ...findings, isCut: parsed.isCut, notes: allNotes });
}

function byPlace(a: { path: string; line?: number }, b: { path: string; line?: number }): number {
  return a.path === b.path ? (a.line ?? 0) - (b.line ?? 0) : a.path < b.path ? -1 : 1;
}

function nothing({ pattern, include_ignored }: GrepInput, notes: readonly string[]): ToolResult {
  const scope = include_ignored ? "" : " Files that git ignores were left out.";
  const output = [`No matches for ${clipText(pattern, 200)}.${scope}`, ...notes].join("\n");
  return { ok: true, output, data: { matches: [], total_matches: 0, total_files: 0, truncated: false } };
}

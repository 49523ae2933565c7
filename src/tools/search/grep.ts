import { relative } from "node:path";
import { z } from "zod";
import { clipText } from "../../core/cut-text.ts";
import { defineTool } from "../../core/define-tool.ts";
import type { Tool, ToolResult } from "../../core/tool.ts";
import type { Processes } from "../../process/processes.ts";
import { ownFolder } from "../../guard/path/own-records.ts";
import { isSecretPath } from "../../guard/path/secret-names.ts";
import { namesBetween } from "../../guard/path/path-name.ts";
import { asResult, failure } from "../failure.ts";
import { countOf } from "../format-bytes.ts";
import { choosePaths } from "./grep-paths.ts";
import { keepPaths, readFindings } from "./grep-findings.ts";
import type { GrepFindings } from "./grep-findings.ts";
import { recordOptions } from "./grep-records.ts";
import type { GrepRecord } from "./grep-records.ts";
import { describeBinaries, reportBinaries, reportCounts, reportFiles, reportRecords } from "./grep-report.ts";
import type { Findings } from "./grep-report.ts";
import { withPlace } from "../files/locate-file.ts";
import type { Held, Where } from "../files/locate-file.ts";
import { showMatchesInLongLines } from "../files/long-lines.ts";
import type { RunSearch } from "../files/long-lines.ts";
import { notFound } from "../files/open-file.ts";
import { isInOwnFolder } from "./own-folder.ts";
import { runRipgrep } from "./ripgrep.ts";
import { resourcesOfSearch } from "./search-resources.ts";
import { searchSteadily } from "./steady-search.ts";

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
        grep(wanted, context, (request) => runRipgrep(processes, request, context)),
      ),
  });
}

async function grep(asked: GrepInput, where: Where, run: RunSearch): Promise<ToolResult> {
  if (asked.pattern.includes("\0")) {
    return failure("pattern", "The pattern contains a NUL character.", "Send it without that character.");
  }
  return withPlace<ToolResult>(asked.path ?? ".", where, async (held) => {
    const { stats } = held.place;
    if (stats === undefined) return notFound(held);
    if (stats.isFile() || stats.isDirectory()) return grepIn(held, asked, run);
    return failure("not_a_file", `${held.shown} is a pipe, socket or device.`, "Search a file or a folder.");
  });
}

async function grepIn(held: Held, asked: GrepInput, run: RunSearch): Promise<ToolResult> {
  const isOneFile = held.place.stats?.isFile() === true;
  const wanted = isInOwnFolder(held) ? { ...asked, include_ignored: true } : asked;
  const path = relative(held.root, held.path) || ".";
  const choice = choosePaths({ glob: isOneFile ? undefined : wanted.glob, type: wanted.type, folder: path });
  if (!choice.ok) return choice;
  const how = { options: [...fixedOptions, ...patternOptions(wanted)], pattern: patternOf(wanted), cwd: held.root };
  const options = [...how.options, ...choice.options, ...outputOptions(wanted)];
  const memory = isOneFile ? "mapped" : "auto";
  const found = await searchSteadily(held.guard, path, async (paths) => {
    const end = await run({ ...how, options, paths, memory });
    return end.ok ? readFindings(end, wanted.output_mode ?? "content") : end;
  });
  if ("error" in found) return found;
  const findings = keepPaths(found.findings, (each) => choice.takes(each) && mayShow(held, each));
  const show: ShowLong = (records) => showMatchesInLongLines(records, { ...how, guard: held.guard }, run);
  const notes = found.leftOut > 0 ? [describeLeftOut(found.leftOut)] : [];
  return report(findings, wanted, { notes, show, scope: describeScope(held, wanted) });
}

type ShowLong = (records: readonly GrepRecord[]) => Promise<readonly GrepRecord[]>;

function describeLeftOut(leftOut: number): string {
  return `[${countOf(leftOut, "file")} left out: moved while they were searched. Search again.]`;
}

/** A search of a whole tree shows nothing of files that hold secrets: whoever wants that names the file or its folder. */
function mayShow({ root, path }: Held, found: string): boolean {
  return isSecretPath(namesBetween(root, path)) || !isSecretPath(found.split("/"));
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
  { records, binaries, files, counts, isCut, unreadable }: GrepFindings,
  wanted: GrepInput,
  { notes: first, show, scope }: { readonly notes: readonly string[]; readonly show: ShowLong; readonly scope: string },
): Promise<ToolResult> {
  const notes = unreadable > 0 ? [...first, `[${countOf(unreadable, "path")} could not be read.]`] : first;
  const findings: Findings = { limit: wanted.limit ?? 250, isCut, notes };
  if (files.length > 0) return reportFiles(files.toSorted(), findings);
  if (counts.length > 0) return reportCounts(counts.toSorted(byPlace), findings);
  if (records.length === 0)
    return binaries.length > 0 ? reportBinaries(binaries, findings) : nothing(wanted, scope, notes);
  const sorted = records.toSorted(byPlace);
  const shown = isMultiline(wanted) ? sorted : await show(sorted);
  const allNotes = binaries.length > 0 ? [`[${describeBinaries(binaries)}]`, ...notes] : notes;
  return reportRecords(shown, { ...findings, notes: allNotes });
}

function byPlace(a: { path: string; line?: number }, b: { path: string; line?: number }): number {
  return a.path === b.path ? (a.line ?? 0) - (b.line ?? 0) : a.path < b.path ? -1 : 1;
}

function nothing({ pattern }: GrepInput, scope: string, notes: readonly string[]): ToolResult {
  const output = [`No matches for ${clipText(pattern, 200)}.${scope}`, ...notes].join("\n");
  return { ok: true, output, data: { matches: [], total_matches: 0, total_files: 0, truncated: false } };
}

/** What was not searched. It must not depend on what is in a file of secrets, or it would tell. */
function describeScope(held: Held, { include_ignored }: GrepInput): string {
  const kinds: string[] = [];
  if (!include_ignored) kinds.push("files that git ignores");
  if (held.place.stats?.isDirectory() && !isSecretPath(namesBetween(held.root, held.path)))
    kinds.push("files of secrets (.env, keys)");
  const text = kinds.join(" and ");
  return text === "" ? "" : ` ${text[0]!.toUpperCase()}${text.slice(1)} were left out.`;
}

import { relative } from "node:path";
import { z } from "zod";
import { clipText } from "../../core/text.ts";
import { defineTool } from "../../core/define-tool.ts";
import { codeOf } from "../../core/errors.ts";
import type { Tool, ToolResult } from "../../core/tool.ts";
import type { PathGuard } from "../../guard/path/open-path-guard.ts";
import { type NotOpened, type OpenedRegular, openRegular } from "../../guard/path/open-folder.ts";
import { ownFolder } from "../../guard/path/judge-path.ts";
import { namesBetween } from "../../guard/path/path-name.ts";
import { isSecretPath } from "../../guard/path/secret-names.ts";
import type { Processes } from "../../process/processes.ts";
import { asResult, countOf, type Failure, failure } from "../failure.ts";
import { type Held, type Where, withPlace } from "../files/locate-file.ts";
import { notFound } from "../files/open-file.ts";
import { detectFormat } from "../files/text-format.ts";
import { compileGlob } from "./glob-pattern.ts";
import {
  describeBinaries,
  type Findings,
  type GrepFindings,
  type GrepRecord,
  keepPaths,
  readFindings,
  recordOptions,
  reportBinaries,
  reportCounts,
  reportFiles,
  reportRecords,
} from "./grep-report.ts";
import { isInOwnFolder, resourcesOfSearch } from "./locate-folder.ts";
import { type RipgrepEnd, type RipgrepRequest, runRipgrep } from "./ripgrep.ts";
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

export interface PathChoice {
  readonly ok: true;
  /** For ripgrep: a quick first choice, which may let too many through. */
  readonly options: readonly string[];
  /** The exact choice, for a path relative to the workdir. */
  takes(path: string): boolean;
}

export interface WantedPaths {
  readonly glob: string | undefined;
  readonly type: string | undefined;
  /** The searched folder, relative to the workdir. */
  readonly folder: string;
}

/**
 * Which files a search is about. Ripgrep's own globs would bring back what git ignores, so its file types make the first
 * choice by name, and the glob itself is applied to what was found. It may count from the folder or from the workdir.
 */
function choosePaths({ glob, type, folder }: WantedPaths): PathChoice | Failure {
  if (type !== undefined && !/^[\w+-]{1,40}$/.test(type)) {
    return failure("invalid_input", "type is not the name of a language.", "Send one such as ts or py, or use glob.");
  }
  const typeOptions = type === undefined ? [] : [`--type=${type}`];
  if (glob === undefined) return { ok: true, options: typeOptions, takes: () => true };
  const isNegated = glob.startsWith("!");
  const compiled = compileGlob(isNegated ? glob.slice(1) : glob);
  if (!compiled.ok) return compiled;
  const fits = (path: string): boolean => {
    const names = path.split("/");
    const name = names.pop()!;
    return compiled.matches(names, name, false);
  };
  const start = folder === "." ? "" : `${folder}/`;
  const takes = (path: string): boolean =>
    (fits(path) || (path.startsWith(start) && fits(path.slice(start.length)))) !== isNegated;
  const isQuick = type === undefined && !isNegated && !compiled.lastNames.includes("*");
  const nameOptions = compiled.lastNames.map((name) => `--type-add=wanted:${name}`);
  return { ok: true, options: isQuick ? [...nameOptions, "--type=wanted"] : typeOptions, takes };
}

type RunSearch = (request: RipgrepRequest) => Promise<RipgrepEnd | Failure>;
export type SearchTerms = Pick<RipgrepRequest, "options" | "pattern" | "cwd"> & { readonly guard: PathGuard };

const mostFiles = 10;
const largestFile = 20_000_000;
const excerptBytes = 300;
const bytesBefore = 100;

/**
 * Of a line too long to print, ripgrep gives the start, which is seldom where the match is. This searches those few files
 * again for the places of their matches, and puts the text around the first one of each line in its place.
 */
async function showMatchesInLongLines(
  records: readonly GrepRecord[],
  terms: SearchTerms,
  run: RunSearch,
): Promise<GrepRecord[]> {
  const long = records.filter(({ isCut, isMatch }) => isCut && isMatch).map(({ path }) => path);
  const paths: string[] = [];
  for (const path of [...new Set(long)].slice(0, mostFiles)) {
    if (await isSearchable(terms.guard, path)) paths.push(path);
  }
  const places = paths.length === 0 ? new Map<string, number>() : await findPlaces(paths, terms, run);
  return Promise.all(
    records.map(async (record) => {
      if (!record.isCut) return record;
      const place = places.get(keyOf(record.path, record.line));
      const around = place === undefined ? undefined : await readAround(terms.guard, record.path, place);
      return { ...record, text: around ?? `${record.text}…` };
    }),
  );
}

/** Ripgrep keeps every match of a line in memory when it is asked for places. */
async function isSearchable(guard: PathGuard, path: string): Promise<boolean> {
  const found = await inFile(guard, path, ({ stats }) => Promise.resolve(stats.size <= largestFile));
  return found === true;
}

/** Undefined when it is gone, moved or closed to us since it was searched. */
async function inFile<Answer>(
  guard: PathGuard,
  path: string,
  ask: (file: OpenedRegular) => Promise<Answer>,
): Promise<Answer | undefined> {
  try {
    const opened = await openFound(guard, path);
    if (!opened?.ok) return undefined;
    try {
      return await ask(opened);
    } finally {
      await opened.handle.close();
    }
  } catch (thrown) {
    if (codeOf(thrown) === undefined) throw thrown;
    return undefined;
  }
}

async function openFound(guard: PathGuard, path: string): Promise<OpenedRegular | NotOpened | undefined> {
  const place = guard.find(path);
  if (!place.ok) return undefined;
  try {
    return await openRegular(place);
  } finally {
    guard.release(place);
  }
}

/** Path and line → where in the file the first match of that line begins. */
async function findPlaces(paths: readonly string[], terms: SearchTerms, run: RunSearch): Promise<Map<string, number>> {
  const output = ["--no-heading", "--with-filename", "--null", "--line-number", "--only-matching", "--byte-offset"];
  const options = [...terms.options, ...output, "--max-columns=20"];
  const found = await run({ ...terms, options, paths, memory: "limited" });
  const places = new Map<string, number>();
  // The hint of where is not worth a failed call.
  if (!found.ok) return places;
  for (const [, path = "", line = "", offset = ""] of found.output.toString("utf8").matchAll(placeLine)) {
    const key = keyOf(path, Number(line));
    if (!places.has(key)) places.set(key, Number(offset));
  }
  return places;
}

// oxlint-disable-next-line no-control-regex
const placeLine = /^([^\u0000\n]+)\u0000(\d+):(\d+):/gm;

function keyOf(path: string, line: number): string {
  return `${line}:${path}`;
}

/** When the file is gone since it was searched, the start of the line has to do. */
async function readAround(guard: PathGuard, path: string, place: number): Promise<string | undefined> {
  return inFile(guard, path, async ({ handle }) => {
    const buffer = Buffer.alloc(excerptBytes);
    await handle.read(buffer, 0, 4, 0);
    // Ripgrep counts in the UTF-8 that it made of other encodings.
    if (detectFormat(buffer).encoding !== "utf-8") return undefined;
    const start = Math.max(place - bytesBefore, 0);
    const { bytesRead } = await handle.read(buffer, 0, excerptBytes, start);
    const excerpt = cutToLine(buffer.subarray(0, bytesRead), place - start);
    return start === 0 ? excerpt.replace(/^…/, "") : excerpt;
  });
}

/** The part of an excerpt that belongs to the line of the match, with "…" where the line goes on. */
function cutToLine(excerpt: Buffer, match: number): string {
  const before = excerpt.lastIndexOf(10, Math.max(match - 1, 0));
  const end = excerpt.indexOf(10, match);
  const text = excerpt.toString("utf8", before + 1, end === -1 ? excerpt.length : end).replace(/\r$/, "");
  // Half a character at either end is no part of the line.
  const whole = text.replace(/^\uFFFD+/, "").replace(/\uFFFD+$/, "");
  return `${before === -1 ? "…" : ""}${whole}${end === -1 ? "…" : ""}`;
}

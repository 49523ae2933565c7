import { codeOf } from "../../core/errors.ts";
import type { PathGuard } from "../../guard/path/open-path-guard.ts";
import { openRegular } from "../../guard/path/open-regular.ts";
import type { NotOpened, OpenedRegular } from "../../guard/path/open-regular.ts";
import type { Failure } from "../failure.ts";
import type { GrepRecord } from "../search/grep-records.ts";
import type { RipgrepEnd, RipgrepRequest } from "../search/ripgrep.ts";
import { detectFormat } from "./text-format.ts";

export type RunSearch = (request: RipgrepRequest) => Promise<RipgrepEnd | Failure>;
export type SearchTerms = Pick<RipgrepRequest, "options" | "pattern" | "cwd"> & { readonly guard: PathGuard };

const mostFiles = 10;
const largestFile = 20_000_000;
const excerptBytes = 300;
const bytesBefore = 100;

/**
 * Of a line too long to print, ripgrep gives the start, which is seldom where the match is. This searches those few files
 * again for the places of their matches, and puts the text around the first one of each line in its place.
 */
export async function showMatchesInLongLines(
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

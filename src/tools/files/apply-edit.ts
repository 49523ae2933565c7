import { clipText } from "../../core/text.ts";
import { countOf, type Failure, failure, formatBytes, formatCount } from "../failure.ts";
import {
  codePoints,
  findLookAlike,
  findText,
  type Found,
  nameCharacters,
  type Place,
  type TextFile,
  withoutOverlaps,
} from "./find-text.ts";
import { decodeText, encodeText, unitBytes } from "./text-format.ts";

export interface Edit {
  readonly old_string: string;
  readonly new_string: string;
  readonly replace_all?: boolean | undefined;
}

export interface Edited {
  readonly ok: true;
  readonly bytes: Buffer;
  readonly replacements: number;
}

const mostPlaces = 1_000_000;
const mostAdded = 100_000_000;
const mostNamed = 10;

/** Replaces a text in a file's bytes. Every byte outside the places stays, also those that are no valid text. */
export function applyEdit(file: TextFile, edit: Edit, shown: string): Edited | Failure {
  const { old_string: text, new_string: replacement, replace_all: all = false } = edit;
  if (text === "")
    return failure("invalid_input", "old_string is empty.", "Give the text to replace, or use write for a whole file.");
  if (text === replacement)
    return failure("no_change", "old_string and new_string are the same.", "Send a new_string that differs.");
  if (!text.isWellFormed() || !replacement.isWellFormed()) {
    return failure(
      "encoding",
      "The text holds half of a surrogate pair, which no file can store.",
      "Send it without that character.",
    );
  }
  const found = findText(file, text, all ? mostPlaces + 1 : 1000);
  if (found.places.length === 0) {
    return failure("no_match", `old_string was not found in ${shown}.`, explainNoMatch(file, edit));
  }
  if (found.places.length > 1 && !all) return notUnique(file, found.places, shown);
  const places = withoutOverlaps(found.places);
  if (places.length > mostPlaces) {
    return failure(
      "too_large",
      `old_string occurs more than ${formatCount(mostPlaces)} times in ${shown}.`,
      "Use a longer old_string.",
    );
  }
  if (places.length * replacement.length > mostAdded) {
    return failure(
      "too_large",
      `The edit would add more than ${formatBytes(mostAdded)} to ${shown}.`,
      "Use a shorter new_string.",
    );
  }
  return {
    ok: true,
    bytes: replaceAt(file, places, chooseReplacement(file, edit, found)),
    replacements: places.length,
  };
}

/** 1-based line of a position. */
function lineAt({ bytes, format }: TextFile, position: number): number {
  const newline = encodeText("\n", format);
  let line = 1;
  for (let at = bytes.indexOf(newline); at !== -1 && at < position; at = bytes.indexOf(newline, at + 1)) {
    if (at % unitBytes(format) === 0) line++;
  }
  return line;
}

function notUnique(file: TextFile, places: readonly Place[], shown: string): Failure {
  const lines = places.slice(0, mostNamed).map(({ start }) => lineAt(file, start));
  const more = places.length > mostNamed ? ", …" : "";
  const times = places.length >= 1000 ? "1,000 times or more" : countOf(places.length, "time");
  return failure(
    "not_unique",
    `old_string occurs ${times} in ${shown}: line ${[...new Set(lines)].join(", ")}${more}.`,
    "Add lines around it until it is unique, or set replace_all to true.",
  );
}

/** New lines get the line ending of what they replace, or else of the file, unless the caller speaks of CR itself. */
function chooseReplacement(file: TextFile, edit: Edit, found: Found): (place: Place) => Buffer {
  const isLiteral = found.by === "exact" && (edit.old_string.includes("\r\n") || edit.new_string.includes("\r\n"));
  if (isLiteral || !edit.new_string.includes("\n")) {
    const literal = encodeText(edit.new_string, file.format);
    return () => literal;
  }
  const lf = edit.new_string.replaceAll("\r\n", "\n");
  const withLf = encodeText(lf, file.format);
  const withCrlf = encodeText(lf.replaceAll("\n", "\r\n"), file.format);
  const usual = usesCrlf(file.bytes, file) ?? false;
  return ({ start, end }) => ((usesCrlf(file.bytes.subarray(start, end), file) ?? usual) ? withCrlf : withLf);
}

/** Whether the first line ending is CRLF; undefined when there is none. */
function usesCrlf(bytes: Buffer, { format }: TextFile): boolean | undefined {
  const unit = unitBytes(format);
  const newline = encodeText("\n", format);
  let at = bytes.indexOf(newline);
  while (at !== -1 && at % unit !== 0) at = bytes.indexOf(newline, at + 1);
  if (at === -1) return undefined;
  return at >= unit && bytes.subarray(at - unit, at).equals(encodeText("\r", format));
}

function replaceAt({ bytes }: TextFile, places: readonly Place[], replacement: (place: Place) => Buffer): Buffer {
  const pieces: Buffer[] = [];
  let from = 0;
  for (const place of places) {
    pieces.push(bytes.subarray(from, place.start), replacement(place));
    from = place.end;
  }
  pieces.push(bytes.subarray(from));
  return Buffer.concat(pieces);
}

/** Longer files are not compared: the hint must not cost more than the edit. */
const longestText = 2_000_000;
const mostShownLines = 15;

/** What to do about a text that is not in the file: the mistake where we know it, else the lines most like it. */
function explainNoMatch(file: TextFile, { old_string, new_string }: Edit): string {
  if (file.bytes.length > longestText) return "Find the exact text with grep, then read those lines.";
  const text = decodeText(file.bytes, file.format).replaceAll("\r\n", "\n");
  const wanted = old_string.replaceAll("\r\n", "\n");
  return knownMistake(text, wanted) ?? alreadyDone(text, new_string) ?? nearestLines(text, wanted);
}

function knownMistake(text: string, wanted: string): string | undefined {
  const unnumbered = withoutNumbers(wanted);
  if (unnumbered !== undefined && text.includes(unnumbered)) {
    return "Leave out the line numbers and tabs that read shows before each line.";
  }
  const unescaped = wanted.replaceAll("\\n", "\n").replaceAll("\\t", "\t").replaceAll('\\"', '"');
  if (unescaped !== wanted && text.includes(unescaped)) {
    return "old_string has backslash escapes where the file has the characters themselves: escape one level less.";
  }
  return undefined;
}

function withoutNumbers(wanted: string): string | undefined {
  const lines = wanted.split("\n");
  const numbered = /^ *\d+(?:\t|→)/;
  if (!lines.every((line, index) => numbered.test(line) || (line === "" && index === lines.length - 1)))
    return undefined;
  return lines.map((line) => line.replace(numbered, "")).join("\n");
}

function alreadyDone(text: string, replacement: string): string | undefined {
  const wanted = replacement.replaceAll("\r\n", "\n");
  const at = wanted.trim().length < 8 ? -1 : text.indexOf(wanted);
  if (at === -1) return undefined;
  return `new_string is already there, at line ${text.slice(0, at).split("\n").length}: this edit may have been made before.`;
}

function nearestLines(text: string, wanted: string): string {
  const lines = text.split("\n");
  const wantedLines = wanted.split("\n");
  const start = findLookAlike(text, wanted) ?? findNearestLines(lines, wantedLines);
  if (start === undefined) return "Nothing in the file is like it. Read the file and copy the text from there.";
  const end = Math.min(start + wantedLines.length, lines.length);
  const shown = lines.slice(start, Math.min(end, start + mostShownLines));
  const numbered = shown.map((line, index) => `${start + index + 1}\t${clipText(line, 300)}`);
  if (end - start > mostShownLines) numbered.push(`[${end - start - mostShownLines} more lines]`);
  const where = end - start === 1 ? `line ${start + 1}` : `lines ${start + 1}-${end}`;
  const difference = firstDifference(lines, wantedLines, start);
  return `The nearest text is at ${where}${difference}:\n${numbered.join("\n")}`;
}

function firstDifference(lines: readonly string[], wanted: readonly string[], start: number): string {
  const last = wanted.length - 1;
  const index = wanted.findIndex((line, at) => {
    const actual = lines[start + at] ?? "";
    if (last === 0) return !actual.includes(line);
    if (at === 0) return !actual.endsWith(line);
    return at === last ? !actual.startsWith(line) : actual !== line;
  });
  const actual = lines[start + index];
  if (index === -1 || actual === undefined) return "";
  return `; line ${start + index + 1} ${describeDifference(wanted[index]!, actual)}`;
}

/** Shorter lines (braces, blanks) say too little about where they are from. */
const shortestKey = 3;
const mostPlacesOfKey = 8;
const longestCompared = 500;

/** Where the lines most like the wanted ones begin (0-based); undefined when nothing is like them. */
function findNearestLines(lines: readonly string[], wanted: readonly string[]): number | undefined {
  return byEqualLines(lines, wanted) ?? byLikeLine(lines, wanted);
}

/** Every line that is equal but for white space votes for a beginning, longer lines with more weight. */
function byEqualLines(lines: readonly string[], wanted: readonly string[]): number | undefined {
  const keys = wanted.map(plainKey);
  const places = new Map<string, number[]>();
  keys.forEach((key, index) => {
    const known = places.get(key) ?? [];
    if (key.length >= shortestKey && known.length < mostPlacesOfKey) places.set(key, [...known, index]);
  });
  const votes = new Map<number, number>();
  lines.forEach((line, at) => {
    const key = plainKey(line);
    for (const index of places.get(key) ?? []) votes.set(at - index, (votes.get(at - index) ?? 0) + weight(key));
  });
  const all = keys.reduce((sum, key) => sum + weight(key), 0);
  const [start, votesForIt] = best(votes);
  return votesForIt * 2 >= all && all > 0 ? Math.max(start, 0) : undefined;
}

function weight(key: string): number {
  return key.length < shortestKey ? 0 : Math.min(key.length, 40);
}

function best(votes: ReadonlyMap<number, number>): [start: number, votes: number] {
  let winner: [number, number] = [0, 0];
  for (const [start, count] of votes) if (count > winner[1]) winner = [start, count];
  return winner;
}

/** The longest wanted line is the best clue: where is the line most like it? */
function byLikeLine(lines: readonly string[], wanted: readonly string[]): number | undefined {
  const clue = wanted.reduce((longest, line, at) => (line.length > wanted[longest]!.length ? at : longest), 0);
  const pairs = pairsOf(plainKey(wanted[clue]!));
  const total = sum(pairs);
  if (total < 2) return undefined;
  let winner = -1;
  let likeness = 0.5;
  lines.forEach((line, at) => {
    const key = plainKey(line.slice(0, longestCompared));
    if (key.length < total / 3 || key.length > (total + 1) * 3) return;
    const score = (2 * shared(pairs, key)) / (total + key.length - 1);
    if (score > likeness) [winner, likeness] = [at, score];
  });
  return winner === -1 ? undefined : Math.max(winner - clue, 0);
}

function pairsOf(key: string): Map<string, number> {
  const pairs = new Map<string, number>();
  const text = key.slice(0, longestCompared);
  for (let at = 0; at + 1 < text.length; at++) {
    const pair = text.slice(at, at + 2);
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  return pairs;
}

/** How many neighbouring pairs of characters both have. */
function shared(pairs: ReadonlyMap<string, number>, key: string): number {
  let count = 0;
  for (const [pair, times] of pairsOf(key)) count += Math.min(times, pairs.get(pair) ?? 0);
  return count;
}

function sum(pairs: ReadonlyMap<string, number>): number {
  let total = 0;
  for (const times of pairs.values()) total += times;
  return total;
}

/** How a line of the file differs from the line that was asked for, to be read after "line 12 …". */
function describeDifference(wanted: string, actual: string): string {
  if (wanted.trimStart() === actual.trimStart()) {
    return `begins with ${describeSpace(leading(actual))}, old_string has ${describeSpace(leading(wanted))}`;
  }
  if (wanted.trimEnd() === actual.trimEnd()) {
    return `ends with ${describeSpace(trailing(actual))}, old_string has ${describeSpace(trailing(wanted))}`;
  }
  if (wanted.trim() === actual.trim()) return "has other white space at its start and end";
  const alike = nameCharacters(wanted, actual, 0);
  if (alike !== undefined) return `${alike}, which looks alike`;
  if (withoutSpace(wanted) === withoutSpace(actual)) {
    return /[^\S \t]/.test(actual) ? "has unusual white space (such as a no-break space)" : "differs in white space";
  }
  if (plainKey(wanted) === plainKey(actual)) return "has other quotation marks or dashes";
  if (plainKey(wanted).toLowerCase() === plainKey(actual).toLowerCase()) return "differs in upper and lower case";
  return nameCharacters(wanted, actual, mostOthers) ?? "differs";
}

/** Letters of another alphabet look like ours; where more differs, it is another text. */
const mostOthers = 3;

/** A line without what is easily mistaken: no white space, and plain quotation marks and dashes. */
function plainKey(line: string): string {
  const bare = withoutSpace(line);
  if (!/[^!-_a-~]/.test(bare)) return bare;
  return bare
    .replaceAll(/[‘’‚‛`´]/g, "'")
    .replaceAll(/[“”„‟«»]/g, '"')
    .replaceAll(/[‐‑‒–—―−]/g, "-");
}

function withoutSpace(line: string): string {
  return line.replaceAll(/\s+/g, "");
}

function leading(line: string): string {
  return line.slice(0, line.length - line.trimStart().length);
}

function trailing(line: string): string {
  return line.slice(line.trimEnd().length);
}

function describeSpace(space: string): string {
  if (space === "") return "no white space";
  const tabs = space.split("\t").length - 1;
  const spaces = space.split(" ").length - 1;
  const others = space.replaceAll(/[\t ]/g, "");
  const parts = [
    [tabs, "tab"],
    [spaces, "space"],
  ] as const;
  return [
    ...parts.filter(([count]) => count > 0).map(([count, noun]) => `${count} ${noun}${count === 1 ? "" : "s"}`),
    ...(others === "" ? [] : [codePoints(others)]),
  ].join(" and ");
}

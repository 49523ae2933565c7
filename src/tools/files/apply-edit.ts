import { explainNoMatch } from "./explain-no-match.ts";
import { failure } from "../failure.ts";
import type { Failure } from "../failure.ts";
import { findText, withoutOverlaps } from "./find-text.ts";
import type { Found, Place, TextFile } from "./find-text.ts";
import { countOf, formatBytes, formatCount } from "../format-bytes.ts";
import { encodeText, unitBytes } from "./text-format.ts";

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

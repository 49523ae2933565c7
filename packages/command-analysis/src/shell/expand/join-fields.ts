import type { Input } from "../../simple-command.ts";
import type { ShellWord } from "../scope.ts";

/** A stretch of a word after expansion. */
export interface Piece {
  readonly text: string;
  /** `break`: a new argument starts here. */
  readonly kind: "literal" | "glob" | "unknown" | "break";
  readonly isQuoted: boolean;
  /** The result of an unquoted expansion: separators in it end the argument. */
  readonly splits?: boolean;
  readonly isTainted?: boolean;
  readonly process?: Input;
}

/** Puts pieces together to arguments, splitting at `separators` where the shell does. */
export function joinFields(pieces: readonly Piece[], separators: string): ShellWord[] {
  const fields: Piece[][] = [];
  let current: Piece[] | null = null;
  const end = (): void => {
    if (current) fields.push(current);
    current = null;
  };
  for (const piece of pieces) {
    // A line continuation leaves nothing behind; only quotes make an empty argument.
    if (piece.kind === "literal" && piece.text === "" && !piece.isQuoted) continue;
    if (piece.kind === "break") {
      current ??= [];
      end();
    } else if (!piece.splits || piece.kind !== "literal") (current ??= []).push(piece);
    else {
      for (const { text, isSeparator } of splitText(piece.text, separators)) {
        if (isSeparator) end();
        else (current ??= []).push({ ...piece, text, kind: /[*?]|\[.*\]/.test(text) ? "glob" : "literal" });
      }
    }
  }
  end();
  return fields.map(toWord);
}

function* splitText(text: string, separators: string): Iterable<{ text: string; isSeparator: boolean }> {
  let from = 0;
  for (let at = 0; at <= text.length; at += 1) {
    const isEnd = at === text.length;
    if (!isEnd && !separators.includes(text[at] ?? "")) continue;
    if (at > from) yield { text: text.slice(from, at), isSeparator: false };
    if (!isEnd) yield { text: "", isSeparator: true };
    from = at + 1;
  }
}

function toWord(pieces: readonly Piece[]): ShellWord {
  const text = pieces.map((piece) => piece.text).join("");
  const at = pieces.findIndex(({ kind }) => kind === "unknown");
  if (at < 0) {
    if (!isPattern(pieces)) return { text, kind: "literal", prefix: text };
    const isVague = pieces.some((piece) => piece.isQuoted && /[[\]]/.test(piece.text));
    return { text, kind: "glob", prefix: text, ...(isVague && { isVague }) };
  }
  const prefix = pieces
    .slice(0, at)
    .map((piece) => piece.text)
    .join("");
  const process = pieces.length === 1 ? pieces[0]?.process : undefined;
  const isTainted = pieces.some((piece) => piece.isTainted);
  const isSplit = pieces.some((piece) => piece.kind === "unknown" && piece.splits);
  return { text, kind: "dynamic", prefix, isTainted, ...(isSplit && { isSplit }), ...(process && { process }) };
}

/** A class may begin in the value of a variable and end behind it. */
function isPattern(pieces: readonly Piece[]): boolean {
  if (pieces.some(({ kind }) => kind === "glob")) return true;
  if (!pieces.some(({ splits }) => splits)) return false;
  return /\[.*\]/s.test(pieces.map(({ text, isQuoted }) => (isQuoted ? "" : text)).join(""));
}

import { isJoined, plain, type Rewrite, rewriteControls, showable, showableWithSpaces } from "./rewrite-controls.ts";

export interface ShowOptions {
  /** Spaces other than the common one stay as they are; for text that is only read. */
  readonly keepSpaces?: boolean;
}

/**
 * Text of others with nothing taken away: what can't be seen, moves the cursor, or reorders text is spelt out (`␛`, `␀`, `\u202e`), so
 * that a person sees exactly what would run. Line feeds and tabs stay.
 */
export function showControls(text: string, { keepSpaces = false }: ShowOptions = {}): string {
  if (plain.test(text)) return text;
  return rewriteControls(text, { pattern: keepSpaces ? showable : showableWithSpaces, rewrite: show }).text;
}

const show: Rewrite = (piece, before, after) => {
  const code = piece.codePointAt(0)!;
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return "␡";
  if (piece.length > 2 || isJoined(piece, before, after)) return piece;
  const digits = code.toString(16).padStart(4, "0");
  return digits.length > 4 ? `\\u{${digits}}` : `\\u${digits}`;
};

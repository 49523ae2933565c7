import { clipText } from "../../../src/core/text.ts";

/** Pieces of a few words, as a model sends them. Together they are the text. */
export function splitText(text: string): string[] {
  return text.match(/(?:\S{1,40}\s*){1,3}|\s+/gu) ?? [];
}

/** Pieces of arguments end anywhere, also inside a word. */
export function splitInput(text: string): string[] {
  return text.match(/[\s\S]{1,12}/gu) ?? [];
}

/** The first half, never with half a character. */
export function firstHalf(text: string): string {
  return clipText(text, Math.floor(text.length / 2));
}

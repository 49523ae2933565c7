import { cutText } from "../../core/text.ts";

/** What an agent says, as far as it is kept in memory: more than any model writes in one go. */
const maxCharacters = 4 * 1024 * 1024;

export interface AnswerText {
  /** More of the text that is being said. */
  add(piece: string): void;
  /** It does something else now: what comes next is another text. */
  next(): void;
  /** The last text that said something. */
  text(): string;
}

/** Between its calls of tools an agent tells what it is about to do; only what it says last is its answer. */
export function createAnswerText(): AnswerText {
  let said = "";
  let saying = "";
  let missing = 0;
  return {
    add(piece) {
      const room = maxCharacters - saying.length;
      if (piece.length > room) missing += piece.length - room;
      if (room > 0) saying += piece.slice(0, room);
    },
    next() {
      if (saying.trim() !== "") said = finish();
      saying = "";
      missing = 0;
    },
    text: () => (saying.trim() === "" ? said : finish()),
  };

  function finish(): string {
    return missing === 0 ? saying : `${cutText(saying, maxCharacters)}… [${missing} characters cut]`;
  }
}

import type { TaskOutput } from "../../api/types.ts";

export interface KeptOutput {
  readonly text: string;
  /** How many bytes of the whole have been read. */
  readonly to: number;
  readonly isDone: boolean;
  /** Its beginning was let go of. */
  readonly isCut: boolean;
  /** The agent's own words as far as they have come, without what is around them. */
  readonly answer: string;
  /** Names that answer, so that it is not sent twice. */
  readonly answerTag: string;
  readonly errorText: string;
}

export const noOutput: KeptOutput = {
  text: "",
  to: 0,
  isDone: false,
  isCut: false,
  answer: "",
  answerTag: "",
  errorText: "",
};

/** An agent may print for hours; the page keeps the end. */
const mostCharacters = 400_000;

/** One more piece. One that does not follow the last is not shown twice, nor with a hole before it. */
export function appendOutput(kept: KeptOutput, piece: TaskOutput): KeptOutput {
  const { answer = kept.answer, answer_tag: answerTag = "", error_text: errorText = "" } = piece;
  if (piece.from > kept.to)
    return { text: piece.text, to: piece.to, isDone: piece.done, isCut: true, answer, answerTag, errorText };
  if (piece.from < kept.to) return { ...kept, isDone: piece.done && piece.to <= kept.to };
  const text = kept.text + piece.text;
  const isTooLong = text.length > mostCharacters;
  return {
    text: isTooLong ? text.slice(-mostCharacters) : text,
    to: piece.to,
    isDone: piece.done,
    isCut: kept.isCut || isTooLong,
    answer,
    answerTag,
    errorText,
  };
}

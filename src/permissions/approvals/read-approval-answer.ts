import type { Answer, Question } from "../../core/question.ts";

/** What a person gave: numbers from the list, from 1 on, or text. */
export interface GivenAnswer {
  readonly text?: string;
  readonly options?: readonly number[];
  /** The text is meant as it is: a number in it chooses nothing. */
  readonly isVerbatim?: boolean;
}

export type ReadAnswer =
  | { readonly ok: true; readonly answer: Answer }
  | { readonly ok: false; readonly problem: string };

/** Turns what a person typed into an answer, or says what is wrong with it. It never chooses for them. */
export function readAnswer(question: Question, answer: GivenAnswer): ReadAnswer {
  const { text, options: numbers = [], isVerbatim = false } = answer;
  const { options = [], multiple = false, other = false } = question;
  const given = text?.trim() ?? "";
  if (options.length === 0) {
    if (numbers.length > 0) return wrong("This question has no list to choose from; answer with text.");
    return given === ""
      ? wrong("The answer is empty; give a text.")
      : { ok: true, answer: { answered: true, text: given } };
  }
  const byText = options.findIndex((option) => option === given);
  const written = isVerbatim ? [] : numbersIn(given, options.length);
  const chosen = numbers.length > 0 ? [...new Set(numbers)] : byText >= 0 ? [byText + 1] : written;
  const range = `1 to ${options.length}`;
  if (chosen.length === 0) {
    if (given === "") return wrong(`The answer is empty; choose ${range}.`);
    if (other) return { ok: true, answer: { answered: true, text: given } };
    return wrong(`"${given}" is not one of the options; choose ${range}.`);
  }
  const beyond = chosen.find((number) => !Number.isInteger(number) || number < 1 || number > options.length);
  if (beyond !== undefined) return wrong(`There is no option ${beyond}; choose ${range}.`);
  if (chosen.length > 1 && !multiple) return wrong("Only one option can be chosen.");
  const selected = chosen.map((number) => options[number - 1]!);
  // Both at once, and they differ: either of them may be what was meant.
  if (numbers.length > 0 && given !== "" && given !== selected.join(", ")) {
    return wrong(`The options say "${selected.join(", ")}" and the text says "${given}"; give one of them.`);
  }
  return { ok: true, answer: { answered: true, text: selected.join(", "), selected } };
}

/** `2`, or `1,3` and `1 3` for several. */
function numbersIn(text: string, most: number): number[] {
  if (!/^\d{1,3}([\s,]+\d{1,3})*$/.test(text)) return [];
  const numbers = [...new Set(text.split(/[\s,]+/).map(Number))];
  return numbers.length <= most ? numbers : [most + 1];
}

function wrong(problem: string): ReadAnswer {
  return { ok: false, problem };
}

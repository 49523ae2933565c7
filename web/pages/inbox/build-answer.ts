import type { InboxEntry } from "../../api/types.ts";

export type Question = NonNullable<InboxEntry["question"]>;

/** What stands in the form. */
export interface AnswerDraft {
  readonly selected: readonly string[];
  /** "Something else" is chosen. */
  readonly isOther: boolean;
  readonly text: string;
}

export type BuiltAnswer =
  | { readonly ok: true; readonly answer: { answered: true; text: string; selected?: readonly string[] } }
  | { readonly ok: false; readonly problem: string };

/** Of several any can be chosen, otherwise one. */
export function chooseOption(question: Question, draft: AnswerDraft, option: string): AnswerDraft {
  if (!question.multiple) return { ...draft, selected: [option], isOther: false };
  const isChosen = draft.selected.includes(option);
  const chosen = isChosen ? draft.selected.filter((each) => each !== option) : [...draft.selected, option];
  // In the order of the list, not of the clicks.
  return { ...draft, selected: (question.options ?? []).filter((each) => chosen.includes(each)) };
}

/** The answer for the API, or what is missing. Nothing is chosen for anybody. */
export function buildAnswer({ options = [], other = false }: Question, draft: AnswerDraft): BuiltAnswer {
  const text = draft.text.trim();
  if (options.length === 0) {
    return text === ""
      ? wrong("The answer is empty: write something.")
      : { ok: true, answer: { answered: true, text } };
  }
  if (other && draft.isOther) {
    if (text === "") return wrong("Write what else it should be.");
    return { ok: true, answer: { answered: true, text: [...draft.selected, text].join(", ") } };
  }
  if (draft.selected.length === 0) return wrong("Nothing is chosen yet.");
  return { ok: true, answer: { answered: true, text: draft.selected.join(", "), selected: draft.selected } };
}

function wrong(problem: string): BuiltAnswer {
  return { ok: false, problem };
}

import type { Ask } from "../core/question.ts";
import type { Journal } from "../journal/open-journal.ts";

/** What tools ask a person, and what was answered, is part of the evidence. */
export function logQuestions(ask: Ask, journal: Journal | null): Ask {
  if (!journal) return ask;
  return async (question, asker) => {
    const { text, options } = question;
    const id = asker.executionId;
    journal.appendBehind({ type: "question", id, text, ...(options ? { options } : {}) });
    const answer = await ask(question, asker);
    journal.appendBehind({ type: "answer", id, ...answer });
    return answer;
  };
}

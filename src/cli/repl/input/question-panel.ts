import type { Answer, Question } from "../../../core/question.ts";
import { fitWidth, neutralizeLine, neutralizeText } from "../../terminal/terminal-text.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import type { Dialog } from "./dialog.ts";
import { usableColumns, type Frame, type Size } from "./draw-frame.ts";
import { earlyFrame, type EarlyKeys } from "./early-keys.ts";
import type { Key } from "./keys.ts";
import type { Input } from "./open-input.ts";
import { createOptionList } from "./option-list.ts";
import { createTextLine } from "../editor/text-line.ts";

/** Asks the person. Nothing is ever chosen for them: an empty line and a cancel are no answers. */
export async function askQuestion(
  input: Pick<Input, "ask" | "terminal" | "earlyKeys">,
  question: Question,
  signal: AbortSignal,
): Promise<Answer> {
  return (await input.ask(createQuestionDialog(question, input), signal)) ?? cancelled;
}

const cancelled: Answer = { answered: false, reason: "cancelled" };
const empty: Answer = { answered: false, reason: "empty" };

interface QuestionParts {
  readonly terminal: Pick<Terminal, "show" | "styleError">;
  readonly earlyKeys: EarlyKeys;
}

/** `list`: one or more of the options. `text`: free text, because there is no list or "other" was picked. */
export function createQuestionDialog(question: Question, { terminal, earlyKeys }: QuestionParts): Dialog<Answer> {
  const { options = [], multiple = false, other = false } = question;
  const style = terminal.styleError;
  const line = createTextLine("› ", style);
  const list = createOptionList({ options, multiple, other, style });
  let phase: "list" | "text" = options.length > 0 ? "list" : "text";
  let selected: readonly string[] = [];

  function pressText(key: Key): Answer | undefined {
    const text = line.press(key);
    if (text === undefined) return undefined;
    if (selected.length > 0) {
      const all = text === "" ? selected : [...selected, text];
      return { answered: true, text: all.join(", "), selected: all };
    }
    return text === "" ? empty : { answered: true, text };
  }

  function pressList(key: Key): Answer | undefined {
    const picked = list.press(key);
    if (picked === undefined) return undefined;
    if (picked.other) {
      phase = "text";
      selected = picked.options;
      return undefined;
    }
    if (picked.options.length === 0) return empty;
    return { answered: true, text: picked.options.join(", "), selected: picked.options };
  }

  return {
    begin: () => terminal.show(style("bold", neutralizeText(question.text))),
    frame(size, isListening): Frame {
      if (!isListening) return earlyFrame(earlyKeys, size, style);
      if (phase === "list") return list.frame(size);
      return line.frame(size, options.length > 0 ? "Enter sends · Esc goes back" : "Enter sends · Esc cancels");
    },
    press(key) {
      const name = key.kind === "key" ? key.name : "";
      if (name === "ctrl-c" || name === "ctrl-d") return cancelled;
      if (name === "escape") {
        if (phase === "list" || options.length === 0) return cancelled;
        phase = "list";
        return undefined;
      }
      return phase === "text" ? pressText(key) : pressList(key);
    },
    end: (answer, size: Size) => fitWidth(describeAnswer(answer), usableColumns(size)),
  };
}

function describeAnswer(answer: Answer): string {
  return answer.answered ? `→ ${neutralizeLine(answer.text)}` : "– not answered";
}

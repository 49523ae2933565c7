import type { Answer, Question } from "../../../core/approval.ts";
import { fitWidth, neutralizeLine, neutralizeText } from "../../terminal/terminal-text.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { wrapRows } from "../editor/graphemes.ts";
import { createTextLine } from "../editor/text-line.ts";
import type { Dialog } from "./dialog-host.ts";
import { usableColumns, type Frame, type Size } from "./draw-frame.ts";
import { earlyFrame, type EarlyKeys, type Key } from "./keys.ts";
import type { Input } from "./open-input.ts";
import { windowAround } from "./scroll-window.ts";

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

export interface Picked {
  readonly options: readonly string[];
  /** "Other…" was picked: free text is to follow. */
  readonly other: boolean;
}

export interface OptionList {
  /** Undefined: goes on. */
  press(key: Key): Picked | undefined;
  frame(size: Size): Frame;
}

export interface OptionListParts {
  readonly options: readonly string[];
  readonly multiple: boolean;
  readonly other: boolean;
  readonly style: Terminal["styleError"];
}

/** A list picked from with arrows, j and k, or numbers (0 is the tenth); with `multiple`, space marks and Enter sends. */
function createOptionList({ options, multiple, other, style }: OptionListParts): OptionList {
  const labels = [...options.map(neutralizeLine), ...(other ? ["Other…"] : [])];
  const marked = new Set<number>();
  let current = 0;

  function pick(index: number): Picked | undefined {
    if (index < 0 || index >= labels.length) return undefined;
    current = index;
    if (index >= options.length) return { options: markedOptions(), other: true };
    if (!multiple) return { options: [options[index]!], other: false };
    if (!marked.delete(index)) marked.add(index);
    return undefined;
  }

  function markedOptions(): string[] {
    return options.filter((_, index) => marked.has(index));
  }

  function move(by: number): void {
    current = (current + by + labels.length) % labels.length;
  }

  function pressName(name: string): Picked | undefined {
    if (name === "enter") {
      const sends = multiple && current < options.length;
      return sends ? { options: markedOptions(), other: false } : pick(current);
    }
    if (name === "up" || name === "ctrl-p" || name === "shift-tab") move(-1);
    if (name === "down" || name === "ctrl-n" || name === "tab") move(1);
    if (name === "home" || name === "page-up") current = 0;
    if (name === "end" || name === "page-down") current = labels.length - 1;
    return undefined;
  }

  function pressCharacter(character: string): Picked | undefined {
    if (character === "k") move(-1);
    if (character === "j") move(1);
    if (character === " " && multiple) return pick(current);
    return /^\d$/.test(character) ? pick((Number(character) + 9) % 10) : undefined;
  }

  function labelRows(index: number, columns: number): string[] {
    const isCurrent = index === current;
    const box = multiple && index < options.length ? (marked.has(index) ? "[x] " : "[ ] ") : "";
    const start = `${isCurrent ? "❯" : " "} ${`${index + 1}.`.padStart(labels.length > 9 ? 3 : 2)} ${box}`;
    return wrapRows(labels[index]!, start, columns).map((row) => (isCurrent ? style("cyan", row) : row));
  }

  return {
    press(key) {
      if (key.kind === "key") return pressName(key.name);
      if (key.kind === "paste") return undefined;
      for (const character of key.text) {
        const picked = pressCharacter(character);
        if (picked !== undefined) return picked;
      }
      return undefined;
    },
    frame(size) {
      const columns = usableColumns(size);
      const rows = labels.flatMap((_, index) => labelRows(index, columns).map((text) => ({ index, text })));
      const room = size.rows - 1;
      const first = rows.findIndex(({ index }) => index === current);
      const middle = first + Math.floor((rows.filter(({ index }) => index === current).length - 1) / 2);
      const shown = windowAround(rows, middle, room - 1);
      const position = shown.items.length < rows.length ? `${current + 1} of ${labels.length} · ` : "";
      const how = multiple ? "space marks, Enter sends" : "arrows or a number, Enter";
      const hint = style("dim", fitWidth(`${position}${how} · Esc cancels`, columns));
      return { rows: [...shown.items.map(({ text }) => text), ...(room > 1 ? [hint] : [])], cursor: null };
    },
  };
}

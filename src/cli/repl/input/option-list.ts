import { fitWidth, neutralizeLine } from "../../terminal/terminal-text.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { usableColumns, type Frame, type Size } from "./draw-frame.ts";
import type { Key } from "./keys.ts";
import { windowAround } from "./scroll-window.ts";
import { wrapRows } from "../editor/wrap-rows.ts";

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
export function createOptionList({ options, multiple, other, style }: OptionListParts): OptionList {
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

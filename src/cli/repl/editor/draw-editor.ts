import { displayWidth, fitWidth, neutralizeLine, neutralizeText } from "../../terminal/terminal-text.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { type Frame, type Size, usableColumns } from "../input/draw-frame.ts";
import { describeMark, type EditorState } from "./editor-state.ts";
import { splitGraphemes, widthOf } from "./graphemes.ts";
import { windowAround } from "../input/scroll-window.ts";

export interface EditorView {
  readonly state: EditorState;
  /** Before the first line, like `› `; further lines are indented by as much. */
  readonly prompt: string;
  /** One row below it, styled and fitted by whoever knows what it says. */
  readonly status?: (columns: number) => string;
  readonly style: Terminal["styleError"];
}

const mostListRows = 8;

/** The editor with its list and its status line; it never takes more rows than the terminal has. */
export function layoutEditor(view: EditorView, size: Size): Frame {
  const columns = usableColumns(size);
  const text = layoutText(view, columns);
  const status = statusRows(view, columns);
  const room = Math.max(1, size.rows - 1);
  const list = listRows(view, columns, Math.min(mostListRows, room - 1 - status.length));
  const shown = windowAround(text.rows, text.row, Math.max(1, room - status.length - list.length));
  const rows = [...shown.items, ...list, ...status].slice(0, Math.max(room, shown.items.length));
  return { rows, cursor: { row: text.row - shown.from, column: text.column } };
}

/** The prompt and the text as they stay behind in the scrollback. */
export function renderSent(view: EditorView, size: Size): string {
  return layoutText(view, usableColumns(size)).rows.join("\n");
}

interface Laid {
  readonly rows: readonly string[];
  readonly row: number;
  readonly column: number;
}

function layoutText({ state, prompt, style }: EditorView, columns: number): Laid {
  const promptWidth = displayWidth(prompt);
  const indent = promptWidth + 4 <= columns ? promptWidth : 0;
  const rows: string[] = [];
  let content = indent === 0 ? "" : style("cyan", prompt);
  let column = indent;
  let cursor = { row: 0, column: indent };

  function breakRow(): void {
    rows.push(content);
    content = " ".repeat(indent);
    column = indent;
  }

  function put(character: string, styled: (text: string) => string): void {
    const width = widthOf(character);
    if (column + width > columns) breakRow();
    content += styled(character);
    column += width;
  }

  let offset = 0;
  for (const grapheme of splitGraphemes(state.text)) {
    if (offset === state.cursor) cursor = { row: rows.length, column };
    offset += grapheme.length;
    const mark = describeMark(grapheme, state.pastes);
    if (grapheme === "\n") breakRow();
    else if (mark !== undefined) for (const each of mark) put(each, (piece) => style("dim", piece));
    else if (isLetter.test(grapheme)) put(grapheme, (piece) => piece);
    else for (const each of splitGraphemes(visible(grapheme))) put(each, (piece) => piece);
  }
  if (state.cursor >= offset) cursor = { row: rows.length, column };
  rows.push(content);
  return { rows, ...cursor };
}

/** Most of a text; nothing about it needs a second look. */
const isLetter = /^[\p{Letter}\p{Number}\u0020-\u007e]$/u;

/** What the terminal would obey, or could not show in a known width, in characters that it only shows. */
function visible(grapheme: string): string {
  return grapheme === "\t" ? "    " : neutralizeText(grapheme);
}

function statusRows({ state, status, style }: EditorView, columns: number): string[] {
  if (state.search !== null) {
    const { query, index } = state.search;
    const label = index === null && query !== "" ? "nothing found in history" : "search history";
    return [style("dim", fitWidth(`${label}: ${neutralizeLine(query)}`, columns))];
  }
  const line = status?.(columns) ?? "";
  return line === "" ? [] : [line];
}

function listRows({ state, style }: EditorView, columns: number, most: number): string[] {
  if (state.list === null || most < 1) return [];
  const { completions, chosen } = state.list;
  const { items } = completions;
  const shown = windowAround(items, chosen ?? 0, items.length > most ? most - 1 : most);
  const nameWidth = Math.min(Math.floor(columns / 2), Math.max(...items.map(({ value }) => displayWidth(value))));
  const rows = shown.items.map(({ value, hint }, index) => {
    const name = neutralizeLine(value);
    const padding = " ".repeat(Math.max(0, nameWidth - displayWidth(name)));
    const line = fitWidth(hint === undefined ? name : `${name}${padding}  ${neutralizeLine(hint)}`, columns - 2);
    return shown.from + index === chosen ? style("cyan", `❯ ${line}`) : style("dim", `  ${line}`);
  });
  const hidden = items.length - shown.items.length;
  if (hidden > 0) rows.push(style("dim", fitWidth(`  … ${hidden} more`, columns)));
  return rows;
}

import { stripVTControlCharacters } from "node:util";
import type { Clock } from "../../core/clock.ts";
import { writeAtExit } from "../../core/write-at-exit.ts";
import { displayWidth } from "../terminal/terminal-text.ts";

/** The part of `process.stderr` that is used. */
export interface ScreenStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  write(text: string): unknown;
  on(event: "resize", listener: () => void): unknown;
  off(event: "resize", listener: () => void): unknown;
}

export interface LiveView {
  /** No row may be wider. */
  readonly columns: number;
  /** There is room for so many. */
  readonly rows: number;
  /** Of the clock's `monotonic`. */
  readonly now: number;
}

/** The rows below the text, as they are at that moment; styled. */
export type RenderLive = (view: LiveView) => readonly string[];

/**
 * The one writer to the terminal during a run: text that stays, and below it rows that change. The cursor always rests
 * at the end of the text, so that whatever happens to the rows (a resize, an exit), erasing from there removes them.
 */
export interface Screen {
  /** False: this is no terminal; rows that change are not shown. */
  readonly isLive: boolean;
  /** How wide a row may be. */
  readonly columns: number;
  /** Text that stays, harmless and styled already. May end within a line. */
  write(text: string): void;
  /** Ends the line if one was begun. */
  freshLine(): void;
  setLive(render: RenderLive | null): void;
  bell(): void;
  /** Somebody else draws below the text; what is written meanwhile waits until each of them is done. */
  suspend(): void;
  resume(): void;
  /** Nothing of the changing rows is left behind. */
  close(): void;
}

export interface ScreenOptions {
  readonly stream: ScreenStream;
  readonly clock: Clock;
  /** From the environment: on a `dumb` terminal nothing can be erased. */
  readonly termName: string | undefined;
}

const redrawMs = 50;
const animationMs = 100;
const mostLiveRows = 12;

export function openScreen({ stream, clock, termName }: ScreenOptions): Screen {
  const isLive = stream.isTTY === true && termName !== "dumb";
  if (!isLive) return openPlainScreen(stream);
  let queued = "";
  /** What the last line of the text holds, once all is written. */
  let line = "";
  let column = 0;
  /** Null: nobody knows what stands below the text. */
  let drawn: readonly string[] | null = [];
  let render: RenderLive | null = null;
  let suspensions = 0;
  let lastDrawAt = Number.NEGATIVE_INFINITY;
  let timer: { readonly due: number; readonly cancel: () => void } | null = null;

  const columns = (): number => Math.max(narrowest, stream.columns || 80) - 1;

  /** A line that was wider than the terminal goes on in its next row. */
  function columnOf(text: string): number {
    return displayWidth(stripVTControlCharacters(text)) % Math.max(1, stream.columns || 80);
  }

  function schedule(delayMs: number): void {
    const due = clock.monotonic() + delayMs;
    if (timer !== null && timer.due <= due) return;
    timer?.cancel();
    timer = { due, cancel: clock.after(delayMs, onTimer) };
  }

  function onTimer(): void {
    timer = null;
    draw();
  }

  function requestDraw(): void {
    if (suspensions > 0) return;
    const waitMs = lastDrawAt + redrawMs - clock.monotonic();
    if (waitMs > 0) schedule(waitMs);
    else draw();
  }

  function draw(): void {
    if (suspensions > 0) return;
    const rows = liveRows();
    const isSame = queued === "" && drawn !== null && rows.length === drawn.length;
    const output = isSame ? changedRows(rows, drawn ?? []) : allRows(rows);
    queued = "";
    drawn = rows;
    if (output !== "") {
      stream.write(output);
      lastDrawAt = clock.monotonic();
    }
    if (render !== null) schedule(animationMs);
  }

  function liveRows(): readonly string[] {
    if (render === null) return [];
    const rows = Math.min(mostLiveRows, Math.max(1, (stream.rows || 24) - 2));
    return render({ columns: columns(), rows, now: clock.monotonic() }).slice(0, rows);
  }

  function changedRows(rows: readonly string[], known: readonly string[]): string {
    const last = rows.findLastIndex((row, index) => row !== known[index]);
    if (last === -1) return "";
    const steps = rows.slice(0, last + 1).map((row, index) => (row === known[index] ? "" : `${row}${eraseRight}`));
    return `${toRows()}${steps.join(nextRow)}${backToText(last)}`;
  }

  /** Nothing is erased before it is written over: that would flicker. */
  function allRows(rows: readonly string[]): string {
    const text = queued.replaceAll("\n", `${eraseRight}${nextRow}`);
    if (queued !== "") column = columnOf(line);
    if (rows.length === 0) return `${text}${eraseBelow}`;
    const below = rows.map((row) => `${row}${eraseRight}`).join(nextRow);
    const rest = column > 0 && queued !== "" ? eraseRight : "";
    return `${text}${rest}${toRows()}${below}${eraseBelow}${backToText(rows.length - 1)}`;
  }

  /** They begin in the row below a line that has begun. */
  function toRows(): string {
    return column > 0 ? nextRow : "\r";
  }

  function backToText(rowsDown: number): string {
    const down = rowsDown + (column > 0 ? 1 : 0);
    return `${down > 0 ? `\u001b[${down}A` : ""}\r${column > 0 ? `\u001b[${column}C` : ""}`;
  }

  function erase(): void {
    const text = queued.replaceAll("\n", `${eraseRight}${nextRow}`);
    if (text === "" && drawn?.length === 0) return;
    stream.write(`${text}${eraseBelow}`);
    column = columnOf(line);
    queued = "";
    drawn = [];
  }

  function onResize(): void {
    if (suspensions > 0) return;
    // The terminal moved the text and the cursor with it; the rows may be anywhere below.
    column = columnOf(line);
    drawn = null;
    draw();
  }

  function write(text: string): void {
    if (text === "") return;
    const written = expandTabs(text, line);
    queued += written;
    const end = written.lastIndexOf("\n");
    line = end === -1 ? line + written : written.slice(end + 1);
    requestDraw();
  }

  function freshLine(): void {
    if (line !== "") write("\n");
  }

  function close(): void {
    stopAtExit();
    stream.off("resize", onResize);
    timer?.cancel();
    timer = null;
    render = null;
    suspensions = 0;
    erase();
  }

  const stopAtExit = writeAtExit(close);
  stream.on("resize", onResize);
  return {
    isLive,
    get columns() {
      return columns();
    },
    write,
    freshLine,
    setLive(next) {
      render = next;
      requestDraw();
    },
    bell: () => void stream.write("\u0007"),
    suspend() {
      if (suspensions === 0) {
        freshLine();
        erase();
      }
      suspensions++;
    },
    resume() {
      suspensions = Math.max(0, suspensions - 1);
      draw();
    },
    close,
  };
}

/** A tab moves the cursor and erases nothing on its way: what stood there would stay. `line` is what stands before. */
function expandTabs(text: string, line: string): string {
  if (!text.includes("\t")) return text;
  const rows = `${line}${text}`.split("\n").map((row) => {
    let expanded = "";
    let column = 0;
    for (const [index, piece] of row.split("\t").entries()) {
      if (index > 0) {
        const spaces = tabWidth - (column % tabWidth);
        expanded += " ".repeat(spaces);
        column += spaces;
      }
      expanded += piece;
      column += displayWidth(stripVTControlCharacters(piece));
    }
    return expanded;
  });
  return rows.join("\n").slice(line.length);
}

const tabWidth = 8;

/** No terminal: every line once. */
function openPlainScreen(stream: ScreenStream): Screen {
  let isWithinLine = false;
  function write(text: string): void {
    if (text === "") return;
    isWithinLine = !text.endsWith("\n");
    stream.write(text);
  }
  return {
    isLive: false,
    columns: stream.columns || 80,
    write,
    freshLine() {
      if (isWithinLine) write("\n");
    },
    setLive() {},
    bell() {},
    suspend() {},
    resume() {},
    close() {
      if (isWithinLine) write("\n");
    },
  };
}

const narrowest = 10;
const nextRow = "\r\n";
const eraseRight = "\u001b[K";
const eraseBelow = "\u001b[J";

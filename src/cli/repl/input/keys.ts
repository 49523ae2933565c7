import { StringDecoder } from "node:string_decoder";
import type { Clock } from "../../../core/clock.ts";
import { fitWidth } from "../../terminal/terminal-text.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { usableColumns, type Frame, type Size } from "./draw-frame.ts";

/** What a person pressed. `name` is like `left`, `ctrl-a`, `alt-enter`, `ctrl-alt-left`, `shift-tab`. */
export type Key =
  /** Characters as they came; several when they came at once. */
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "paste"; readonly text: string }
  | { readonly kind: "key"; readonly name: string };

export interface KeyReader {
  push(bytes: Uint8Array): void;
  /** Forgets what is half read. */
  end(): void;
}

/** A lone ESC is a key when nothing follows so soon; what began as a sequence may come in two packets. */
const escapeMs = 50;
const sequenceMs = 1000;
/** A paste whose end got lost must not swallow Ctrl-C for ever. */
const pasteSilenceMs = 3000;
const pasteEnd = "\u001b[201~";

/** Turns the bytes of a terminal in raw mode into keys. Sequences that are not known are left out, never text. */
export function createKeyReader(clock: Clock, onKey: (key: Key) => void): KeyReader {
  const decoder = new StringDecoder("utf8");
  let pending = "";
  let pasted: string | null = null;
  let stopTimer = (): void => undefined;

  function read(): void {
    while (pending !== "") {
      if (pasted !== null) {
        if (!readPaste(pasted)) return;
        continue;
      }
      const taken = takeKey(pending);
      if (taken === "incomplete") return;
      pending = pending.slice(taken.length);
      if (taken.key === "paste") pasted = "";
      else if (taken.key !== null) onKey(taken.key);
    }
  }

  function readPaste(before: string): boolean {
    const all = before + pending;
    const end = all.indexOf(pasteEnd, Math.max(0, before.length - pasteEnd.length));
    pending = end < 0 ? "" : all.slice(end + pasteEnd.length);
    pasted = end < 0 ? all : null;
    if (end >= 0) onKey({ kind: "paste", text: cleanPaste(all.slice(0, end)) });
    return end >= 0;
  }

  function giveUp(): void {
    if (pasted !== null) {
      const text = cleanPaste(pasted);
      pasted = null;
      onKey({ kind: "paste", text });
    } else if (pending === "\u001b") {
      pending = "";
      onKey({ kind: "key", name: "escape" });
    } else pending = "";
  }

  return {
    push(bytes) {
      stopTimer();
      pending += decoder.write(Buffer.from(bytes));
      read();
      if (pasted === null && pending === "") return;
      const delayMs = pasted !== null ? pasteSilenceMs : pending === "\u001b" ? escapeMs : sequenceMs;
      stopTimer = clock.after(delayMs, giveUp);
    },
    end() {
      stopTimer();
      pending = "";
      pasted = null;
    },
  };
}

interface Taken {
  /** Null: nothing that means anything here. */
  readonly key: Key | "paste" | null;
  readonly length: number;
}

// oxlint-disable-next-line no-control-regex -- telling them from text is what this is for
const characters = /^[^\u0000-\u001f\u007f-\u009f]+/;

function takeKey(buffer: string): Taken | "incomplete" {
  const text = characters.exec(buffer)?.[0];
  if (text !== undefined) return { key: { kind: "text", text }, length: text.length };
  if (buffer[0] !== "\u001b") return { key: controlKey(buffer), length: 1 };
  if (buffer.length === 1) return "incomplete";
  const next = buffer[1]!;
  if ("[O]PX^_".includes(next)) {
    const sequence = readSequence(buffer);
    if (sequence === "incomplete") return "incomplete";
    const { name, text: typed, length } = sequence;
    if (name === "paste") return { key: "paste", length };
    if (typed !== undefined) return { key: { kind: "text", text: typed }, length };
    return { key: name === undefined ? null : { kind: "key", name }, length };
  }
  if (next === "\u001b") return takeDoubleEscape(buffer);
  return takeAlt(buffer);
}

/** Alt with an arrow is ESC before its sequence on some terminals; anything else is ESC pressed twice. */
function takeDoubleEscape(buffer: string): Taken | "incomplete" {
  if (buffer[2] === "[" || buffer[2] === "O") {
    const sequence = readSequence(buffer.slice(1));
    if (sequence === "incomplete") return "incomplete";
    const { name, length } = sequence;
    const isPlain = name !== undefined && name !== "paste" && !name.includes("-");
    return { key: isPlain ? { kind: "key", name: `alt-${name}` } : null, length: length + 1 };
  }
  return { key: { kind: "key", name: "escape" }, length: 1 };
}

function takeAlt(buffer: string): Taken {
  const character = String.fromCodePoint(buffer.codePointAt(1)!);
  const control = controlKey(character);
  const name = control === null ? character : control.name;
  const plainFirst = name.startsWith("ctrl-") ? `ctrl-alt-${name.slice("ctrl-".length)}` : `alt-${name}`;
  return { key: { kind: "key", name: plainFirst }, length: 1 + character.length };
}

const controlNames: Readonly<Record<string, string>> = {
  "\r": "enter",
  "\t": "tab",
  "\u007f": "backspace",
  "\u0000": "ctrl-space",
  "\u001f": "ctrl-_",
};

function controlKey(buffer: string): { readonly kind: "key"; readonly name: string } | null {
  const code = buffer.charCodeAt(0);
  const name = controlNames[buffer[0]!] ?? (code < 0x20 ? `ctrl-${String.fromCharCode(code + 0x60)}` : undefined);
  return name === undefined ? null : { kind: "key", name };
}

/** Pasted text is text: line ends are line feeds, and what a terminal would obey is left out. */
function cleanPaste(text: string): string {
  return text.replaceAll(/\r\n?/g, "\n").replaceAll(unwanted, "");
}

// oxlint-disable-next-line no-control-regex -- finding them is what this is for
const unwanted = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

export interface Sequence {
  /** Missing: a sequence that means nothing here. `paste`: pasted text follows. */
  readonly name?: string;
  /** A plain character that came as a sequence. */
  readonly text?: string;
  readonly length: number;
}

/** Reads what begins with ESC and one of `[O]PX^_`; `incomplete` when its end has not come yet. */
function readSequence(buffer: string): Sequence | "incomplete" {
  if (buffer[1] === "O") return readSingleShift(buffer);
  if (buffer[1] !== "[") return readString(buffer);
  // Two that break the grammar: function keys of the Linux console, and the oldest form of mouse reports.
  if (buffer[2] === "[") return buffer.length < 4 ? "incomplete" : { length: 4 };
  if (buffer[2] === "M") return buffer.length < 6 ? "incomplete" : { length: 6 };
  let end = 2;
  while (end < buffer.length && isParameter(buffer.charCodeAt(end))) end += 1;
  if (end === buffer.length) return "incomplete";
  const final = buffer[end]!;
  // Something else began inside it: the sequence is broken, what follows is not.
  if (final < "@" || final > "~") return { length: end };
  return { ...nameOf(buffer.slice(2, end), final), length: end + 1 };
}

function isParameter(code: number): boolean {
  return code >= 0x20 && code <= 0x3f;
}

function readSingleShift(buffer: string): Sequence | "incomplete" {
  if (buffer.length < 3) return "incomplete";
  const final = buffer[2]!;
  if (final < " " || final > "~") return { length: 2 };
  const name = final === "M" ? "enter" : finals[final];
  return { ...(name === undefined ? {} : { name }), length: 3 };
}

/** A report of the terminal (colours, titles, versions): up to BEL or ST. */
function readString(buffer: string): Sequence | "incomplete" {
  // oxlint-disable-next-line no-control-regex -- they are what ends it
  const end = /[\u0007\u0018\u001a\u0003]|\u001b\\/.exec(buffer.slice(2));
  if (end === null) return buffer.length > longestReport ? { length: buffer.length } : "incomplete";
  const isCtrlC = end[0] === "\u0003";
  return { length: 2 + end.index + (isCtrlC ? 0 : end[0].length) };
}

const longestReport = 4096;

const finals: Readonly<Record<string, string>> = {
  A: "up",
  B: "down",
  C: "right",
  D: "left",
  H: "home",
  F: "end",
};

const numbered: Readonly<Record<string, string>> = {
  "1": "home",
  "2": "insert",
  "3": "delete",
  "4": "end",
  "5": "page-up",
  "6": "page-down",
  "7": "home",
  "8": "end",
};

const coded: Readonly<Record<number, string>> = { 9: "tab", 13: "enter", 27: "escape", 127: "backspace" };

function nameOf(parameters: string, final: string): Omit<Sequence, "length"> {
  const [first = "", second = "", third = ""] = parameters.split(";");
  if (final === "Z") return { name: "shift-tab" };
  if (final === "u") return codedKey(Number.parseInt(first, 10), second);
  if (final !== "~") return withModifiers(finals[final], second);
  if (first === "200") return { name: "paste" };
  if (first === "27") return codedKey(Number.parseInt(third, 10), second);
  return withModifiers(numbered[first], second);
}

/** The newer protocols spell a key as its code point and its modifiers. */
function codedKey(code: number, modifiers: string): Omit<Sequence, "length"> {
  const named = coded[code];
  if (named !== undefined) return withModifiers(named, modifiers);
  // Beyond these are the private code points that stand for keys without a character.
  if (!(code >= 0x20 && code < 0xe000) && !(code > 0xf8ff && code <= 0x10ffff)) return {};
  const character = String.fromCodePoint(code);
  const { ctrl, alt, shift } = readModifiers(modifiers);
  if (ctrl || alt) return withModifiers(character === " " ? "space" : character, modifiers);
  return { text: shift ? character.toUpperCase() : character };
}

function withModifiers(base: string | undefined, modifiers: string): Omit<Sequence, "length"> {
  if (base === undefined) return {};
  const { ctrl, alt, shift } = readModifiers(modifiers);
  return { name: `${ctrl ? "ctrl-" : ""}${alt ? "alt-" : ""}${shift ? "shift-" : ""}${base}` };
}

function readModifiers(text: string): { readonly ctrl: boolean; readonly alt: boolean; readonly shift: boolean } {
  const bits = Math.max(0, (Number.parseInt(text, 10) || 1) - 1);
  return { shift: (bits & 1) !== 0, alt: (bits & 2) !== 0, ctrl: (bits & 4) !== 0 };
}

/** What becomes of keys that came before a panel listened: the next prompt has them, or there is no such prompt. */
export type EarlyKeys = "kept" | "dropped";

/** In the place of a panel while it does not listen yet; see `dialog-host.ts`. */
export function earlyFrame(earlyKeys: EarlyKeys, size: Size, style: Terminal["styleError"]): Frame {
  return { rows: [style("dim", fitWidth(notes[earlyKeys], usableColumns(size)))], cursor: null };
}

const notes: Readonly<Record<EarlyKeys, string>> = {
  kept: "… what you type now is kept for your next message",
  dropped: "… what you type now is not an answer yet",
};

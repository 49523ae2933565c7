export interface Sequence {
  /** Missing: a sequence that means nothing here. `paste`: pasted text follows. */
  readonly name?: string;
  /** A plain character that came as a sequence. */
  readonly text?: string;
  readonly length: number;
}

/** Reads what begins with ESC and one of `[O]PX^_`; `incomplete` when its end has not come yet. */
export function readSequence(buffer: string): Sequence | "incomplete" {
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

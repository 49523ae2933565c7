const maxTextBytes = 32 * 1024;

interface TextProblem {
  readonly rule: string;
  readonly reason: string;
}

/** What makes a text unfit for analysis before it is parsed. Null: nothing does. */
export function checkText(text: string): TextProblem | null {
  if (text.length > maxTextBytes || Buffer.byteLength(text) > maxTextBytes) {
    return {
      rule: "text.too-long",
      reason: `The command is longer than ${maxTextBytes} bytes, so it is not analysed; put it into a script file.`,
    };
  }
  if (isTangled(text)) {
    return { rule: "shell.too-deep", reason: "It is nested too deeply to be analysed; put it into a script file." };
  }
  if (/\$\{?[!#]?\w*(?:\\\n)+[\w{]/.test(text)) {
    return {
      rule: "shell.split-name",
      reason: "The name of a variable goes over the end of a line, which hides what it is.",
    };
  }
  const hidden = findHidden(text);
  if (hidden === null) return null;
  return {
    rule: "text.hidden-character",
    reason: `The command contains ${hidden}, so what a person sees may not be what would run.`,
  };
}

/** Control characters, direction marks, zero-width characters, invisible fillers and tags: first and last of each range. */
const hiddenRanges: readonly (readonly [number, number])[] = [
  [0x00, 0x08],
  [0x0b, 0x1f],
  [0x7f, 0x9f],
  [0xad, 0xad],
  [0x034f, 0x034f],
  [0x061c, 0x061c],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x200b, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x206f],
  [0x2800, 0x2800],
  [0x3164, 0x3164],
  [0xd800, 0xdfff],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff9, 0xfffb],
  [0x1d173, 0x1d17a],
  [0xe0000, 0xe007f],
];

const maxOpen = 120;
const maxHereDocuments = 500;

/** Without knowing quotes: brackets left open far beyond what anybody writes, which parsers take long to give up on. */
function isTangled(text: string): boolean {
  let [round, curly, hereDocuments] = [0, 0, 0];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 40) round += 1;
    else if (code === 41) round = Math.max(0, round - 1);
    else if (code === 123) curly += 1;
    else if (code === 125) curly = Math.max(0, curly - 1);
    else if (code === 60 && text.charCodeAt(at + 1) === 60) hereDocuments += 1;
    if (round > maxOpen || curly > maxOpen || hereDocuments > maxHereDocuments) return true;
  }
  return false;
}

function findHidden(text: string): string | null {
  for (let at = 0; at < text.length; at += 1) {
    const code = text.codePointAt(at) ?? 0;
    if (code >= 0x20 && code < 0x7f) continue;
    if (hiddenRanges.some(([from, to]) => code >= from && code <= to) && !joinsEmoji(text, at)) return describe(code);
    if (code > 0xffff) at += 1;
  }
  return null;
}

/** A zero-width joiner inside one emoji is how that emoji is written. */
function joinsEmoji(text: string, at: number): boolean {
  if (text.charCodeAt(at) !== 0x200d) return false;
  const before = Array.from(text.slice(Math.max(0, at - 4), at)).filter((character) => !isEmojiModifier(character));
  const pictograph = /^\p{Extended_Pictographic}/u;
  return pictograph.test(before.at(-1) ?? "") && pictograph.test(text.slice(at + 1, at + 3));
}

function isEmojiModifier(character: string): boolean {
  const code = character.codePointAt(0) ?? 0;
  return code === 0xfe0f || (code >= 0x1f3fb && code <= 0x1f3ff);
}

function describe(code: number): string {
  const name = `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
  if (code === 0) return "a NUL character";
  if (code === 13) return "a carriage return";
  if (code < 32 || (code > 126 && code < 160)) return `the control character ${name}`;
  if (code >= 0xd800 && code <= 0xdfff) return "half of a character (invalid text)";
  return `the invisible or direction-changing character ${name}`;
}

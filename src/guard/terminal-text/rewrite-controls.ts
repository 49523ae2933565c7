/** What becomes of one piece that a pattern found; `before` is the last character that was kept, `after` the next one as it came. */
export type Rewrite = (piece: string, before: string, after: string) => string;

export interface Rewritten {
  readonly text: string;
  /** The last character of it, for the text that goes on from here. */
  readonly last: string;
}

/** Like `replaceAll`, but knows what was kept before each piece. */
export function rewriteControls(
  text: string,
  { pattern, rewrite, before: start = "" }: { pattern: RegExp; rewrite: Rewrite; before?: string },
): Rewritten {
  const parts: string[] = [];
  let at = 0;
  let before = start;
  for (const { 0: piece, index } of text.matchAll(pattern)) {
    if (index > at) {
      parts.push(text.slice(at, index));
      before = lastCharacter(text, index);
    }
    at = index + piece.length;
    const kept = rewrite(piece, before, at < text.length ? String.fromCodePoint(text.codePointAt(at)!) : "");
    if (kept === "") continue;
    parts.push(kept);
    before = lastCharacter(kept, kept.length);
  }
  if (at === 0) return { text, last: text === "" ? before : lastCharacter(text, text.length) };
  if (at < text.length) {
    parts.push(text.slice(at));
    before = lastCharacter(text, text.length);
  }
  return { text: parts.join(""), last: before };
}

function lastCharacter(text: string, end: number): string {
  const low = text.charCodeAt(end - 1);
  const isPair = low >= 0xdc00 && low <= 0xdfff && end >= 2 && (text.charCodeAt(end - 2) & 0xfc00) === 0xd800;
  return text.slice(end - (isPair ? 2 : 1), end);
}

/** As long as anything real; longer ones are no sequences, so that nothing can hide behind a beginning without an end. */
const stringLimit = 4096;

// ECMA-48 in 7 and 8 bits. The parts of a sequence exclude its introducers, so no text is looked at twice.
const parameters = String.raw`[0-?]{0,256}[ -\/]{0,16}`;
const csi = String.raw`(?:\x1b\[|\x9b)`;
const stringIntroducer = String.raw`(?:\x1b[\]PX\^_]|[\x90\x98\x9d-\x9f])`;
const stringContent = String.raw`[^\x00-\x1f\x7f-\x9f]{0,${stringLimit}}`;

/** A whole escape sequence: colours, cursor, titles, links (OSC 8), clipboard (OSC 52), … */
const sequence = [
  String.raw`${csi}${parameters}[@-~]`,
  String.raw`${stringIntroducer}${stringContent}(?:\x07|\x1b\\|\x9c)`,
  String.raw`\x1b(?:[ -\/]{1,4}[0-~]|[0-OQ-WYZ\\\x60-~])`,
].join("|");

/** Flags of England, Scotland and Wales: the only tag characters in use. */
const flag = String.raw`\u{1f3f4}\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}`;

/** Everything that can't be seen, or changes how other text is seen; halves of characters, too. */
const unseen = String.raw`[\p{Cc}\p{Cs}\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff9-\ufffb]`;

/** What cleaning looks at: line ends and sequences as a whole, everything else alone. */
export const cleanable = new RegExp(`\\r+\\n?|${sequence}|${flag}|(?![\\n\\t])${unseen}`, "gu");

/** What showing looks at: every character alone, so that nothing is left out. */
export const showable = new RegExp(`${flag}|(?![\\n\\t])${unseen}`, "gu");
export const showableWithSpaces = new RegExp(`${flag}|(?![\\n\\t ])(?:${unseen}|\\p{Zs})`, "gu");

/** The end of a piece of text that may become something else with the next piece; whether a joiner joins depends on it, too. */
export const unfinished = new RegExp(
  [
    String.raw`[\u200c\u200d]?(?:${csi}${parameters}|${stringIntroducer}${stringContent}\x1b?|\x1b[ -\/]{0,4}`,
    String.raw`|[\ud800-\udbff]|[\u200c\u200d]|\u{1f3f4}[\u{e0020}-\u{e007f}]{0,6}[\ud800-\udbff]?)$`,
  ].join(""),
  "u",
);

/** No unfinished end is longer than this, in UTF-16 units. */
export const longestUnfinished = 2 * stringLimit + 8;

/** Text in which nothing needs looking at. */
export const plain = /^[\n\t -~]*$/;

/**
 * Characters that can't be seen but belong where they are: they join or part letters of scripts that are written joined, make one
 * picture of several, or choose the form of the character before. Anywhere else they only hide something.
 */
export function isJoined(character: string, before: string, after: string): boolean {
  const code = character.codePointAt(0)!;
  if (code === zeroWidthJoiner || code === zeroWidthNonJoiner) {
    return joinedScripts.test(before) || (code === zeroWidthJoiner && picture.test(before) && pictureBase.test(after));
  }
  if (code === 0xfe0e || code === 0xfe0f) return emoji.test(before);
  if (code >= 0xfe00 && code <= 0xfe0d) return hasVariants.test(before);
  if (code >= 0xe0100 && code <= 0xe01ef) return ideograph.test(before);
  if (code >= 0x180b && code <= 0x180f && code !== 0x180e) return mongolian.test(before);
  return false;
}

const zeroWidthNonJoiner = 0x200c;
const zeroWidthJoiner = 0x200d;
const joinedScripts = new RegExp(
  `^[${"Arabic Syriac Nko Mandaic Mongolian Devanagari Bengali Gurmukhi Gujarati Oriya Tamil Telugu Kannada Malayalam Sinhala Khmer Myanmar Tibetan Balinese Javanese Newa Grantha Tirhuta Brahmi"
    .split(" ")
    .map((script) => `\\p{Script=${script}}`)
    .join("")}]$`,
  "u",
);
const pictureBase = /^\p{Extended_Pictographic}/u;
const picture = /^(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f|\u{e007f})$/u;
const emoji = /^\p{Emoji}$/u;
const hasVariants = /^[\p{Math}\p{Script=Han}\p{Script=Myanmar}\p{Script=Phags_Pa}]$/u;
const ideograph = /^\p{Script=Han}$/u;
const mongolian = /^\p{Script=Mongolian}$/u;

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

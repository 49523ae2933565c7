import fc from "fast-check";

const letters = fc.constantFrom(..."abc XYZ 019 .,;[]{}\\/-_=+\n\t한국어漢字äßéλЖعש│█👍🇰🇷".split(/(?:)/u));

/** Text in which there is nothing to clean. */
export const plainText = fc.array(letters, { maxLength: 60 }).map((parts) => parts.join(""));

const sequences = "\u001b \u001b[ \u001b] \u001bP \u001b\\ \u0007 \u009b \u009c \u009d \u0090 31m 0; m".split(" ");
const lineEnds = ["\r", "\n", "\r\n", "\u0085", "\u2028", "\0", "\b", "\u0018"];
const unseen = "\u202e \u2066 \u200b \u200c \u200d \ufeff \ufe0f \ufe0e \u{e0101} \u180b".split(" ");
const flags = ["\u{1f3f4}", "\u{e0067}", "\u{e0062}", "\u{e0065}\u{e006e}\u{e0067}\u{e007f}"];
const seen = ["\ud83d", "\ude00", "👨", "❤", "1", "a", "한", "م", "क", "्", "葛", " ", "\u00a0", "ᠠ", "x".repeat(300)];
const parts = fc.constantFrom(...sequences, ...lineEnds, ...unseen, ...flags, ...seen);

/** Mostly what terminals obey and what can't be seen, in any order. */
export const wildText = fc.oneof(
  { weight: 4, arbitrary: fc.array(parts, { maxLength: 40 }).map((all) => all.join("")) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 40 }) },
);

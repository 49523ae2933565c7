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

/** How key and value are joined: by a sign, as words of a command, in markup, as name and value, in a list, a table or a sentence. */
export type Join = "below" | "assign" | "element" | "pair" | "list" | "column" | "sentence";

export interface KeyJoin {
  readonly join: Join;
  /** Where the value begins. */
  readonly end: number;
  /** The sign of an assignment. */
  readonly sign: string;
  /** Key, sign and value are encoded as in a URL. */
  readonly isEncoded: boolean;
}

// The quotes of a key, and the sequences that programs put around words to colour them.
const closing = String.raw`(?:\u001b\[[0-9;]{0,8}m|\\*["'\`]|%22|%27)?[\])]?`;
const colour = String.raw`(?:\u001b\[[0-9;]{0,8}m)?`;

const joins: readonly (readonly [Join, RegExp])[] = [
  ["pair", /^\\*["']?[ \t]*,?[ \t]*\r?\n?[ \t]*\\*["']?value\\*["']?[ \t]*[:=][ \t]*/i],
  // The body of a form: the value is behind an empty line.
  ["pair", /^"[ \t]*\r?\n(?:Content-[^\n]{0,80}\n)?\r?\n/],
  // The value is alone on one of the next lines.
  [
    "below",
    new RegExp(
      String.raw`^${closing}[ \t]*${colour}([:：=]?)[*_\`]{0,3}${colour}[ \t]*\r?\n(?:[ \t]*[-=~]{0,80}[ \t]*\r?\n){0,2}[ \t>]{0,40}(?:[*+-] )?(?=[^\s])(?!\\*["']?value\\*["']?[ \t]*[:=])(?!Content-)`,
    ),
  ],
  [
    "assign",
    new RegExp(
      String.raw`^${closing}[ \t\u00a0\u202f]*${colour}(=>|:=|:-|\?=|\+=|!==?|={1,3}|:|：|%3[dDaA])(?!:)[ \t\u00a0\u3000]*${colour}[ \t]*(?:%2[27])?`,
    ),
  ],
  ["element", /^(?:["'][^<>\n]{0,60}|(?:[ \t][^<>\n]{0,80})?)>[ \t]*/],
  ["list", /^\\*["'],[ \t]*(?=\\*["'`])|^\([ \t]*(?=["'`])/],
  ["column", /^[ \t]+\|[ \t]+|^[ \t]*\t[ \t]*|^ {2,}/],
  ["sentence", /^(?:は|が|是|为|為|就是)[ \t]*/],
  [
    "sentence",
    /^(?:는|은|이|가|을|를)?[ \t]+(?:(?:is|was|이|가|ist|lautet|est|es|é|è|jest|adalah|là|है|هي|هو|—|–|:|=)[ \t:]+)?/i,
  ],
];

/** What joins a key to a value; nothing when it is only a word. */
export function findKeyJoin(text: string, keyStart: number, keyEnd: number): KeyJoin | undefined {
  const rest = text.slice(keyEnd, keyEnd + 160);
  const isMarkup = keyStart > 0 && `<:"'`.includes(text[keyStart - 1]!);
  for (const [join, pattern] of joins) {
    if (join === "element" && !isMarkup) continue;
    const found = pattern.exec(rest);
    const sign = found?.[1] ?? "";
    if (found) return { join, end: keyEnd + found[0].length, sign, isEncoded: sign.startsWith("%3") };
  }
  return undefined;
}

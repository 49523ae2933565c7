// Characters that a reader can't tell apart: composed and decomposed letters, kinds of spaces, what shows nothing at all.

/** Where the wanted text begins (0-based line) when only look-alikes keep it from being found. */
export function findLookAlike(text: string, wanted: string): number | undefined {
  if (plain.test(text) && plain.test(wanted)) return undefined;
  const sought = fold(wanted);
  const folded = fold(text);
  const at = sought === "" ? -1 : folded.indexOf(sought);
  return at === -1 ? undefined : folded.slice(0, at).split("\n").length - 1;
}

/**
 * Names the first character that differs by its code points, when the lines are the same but for look-alikes, or for at
 * most so many other characters; to be read after "line 12 …". Nothing when code points would not help.
 */
export function nameCharacters(wanted: string, actual: string, mostOthers: number): string | undefined {
  if (wanted.length > longestCompared || actual.length > longestCompared) return undefined;
  const sought = splitCharacters(wanted);
  const there = splitCharacters(actual);
  const start = align(sought, there, Math.min(mostOthers, Math.floor(sought.length / 3)));
  if (start === undefined) return undefined;
  const at = sought.findIndex(({ text }, index) => text !== there[start + index]!.text);
  const [has, asked] = [there[start + at]?.text, sought[at]?.text];
  if (has === undefined || asked === undefined || (plain.test(has) && plain.test(asked))) return undefined;
  return `has ${codePoints(has)} where old_string has ${codePoints(asked)}`;
}

export function codePoints(text: string): string {
  return Array.from(text, (character) => {
    const code = character.codePointAt(0)!;
    return `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
  }).join(" ");
}

const longestCompared = 2000;
const plain = /^[\u0020-\u007e\t\n]*$/;
const invisible = /\p{Default_Ignorable_Code_Point}|(?![\t\n])\p{Control}/gu;

function fold(text: string): string {
  return text.normalize("NFKC").replaceAll(invisible, "");
}

interface Character {
  readonly text: string;
  /** What look-alikes have in common. */
  readonly folded: string;
}

/** What a reader takes for one character, with what is invisible after it. */
function splitCharacters(line: string): Character[] {
  const characters: Character[] = [];
  let before = "";
  for (const { segment } of new Intl.Segmenter("en", { granularity: "grapheme" }).segment(line)) {
    const folded = fold(segment);
    const last = characters.at(-1);
    if (folded !== "") characters.push({ text: before + segment, folded });
    else if (last !== undefined) characters[characters.length - 1] = { ...last, text: last.text + segment };
    before = folded === "" && last === undefined ? before + segment : "";
  }
  return characters;
}

/** Where the sought characters lie in the line, with at most so many others; the best place, and the first of those. */
function align(sought: readonly Character[], there: readonly Character[], mostOthers: number): number | undefined {
  let best: number | undefined;
  let fewest = mostOthers + 1;
  for (let start = 0; start + sought.length <= there.length && fewest > 0; start++) {
    let others = 0;
    for (let at = 0; at < sought.length && others < fewest; at++) {
      if (sought[at]!.folded !== there[start + at]!.folded) others++;
    }
    if (others < fewest) [best, fewest] = [start, others];
  }
  return best;
}

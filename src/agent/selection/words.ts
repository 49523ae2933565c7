import { englishOf } from "./korean-words.ts";
import { stem } from "./stem.ts";
import { synonymsOf } from "./synonyms.ts";

/** What a tool's text is found by: its words, each reduced to its stem; of scripts whose words run together, their pieces as well. */
export function indexWords(text: string): string[] {
  return split(text).flatMap((word) => [stem(word), ...pairsOf(word), ...meaningsOf(word).map(stem)]);
}

/** What somebody looks for, weighted: their own words, and less, words that mean the same. */
export function queryWords(text: string): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  const give = (word: string, weight: number): void => {
    const known = stem(word);
    if ((weights.get(known) ?? 0) < weight) weights.set(known, weight);
  };
  for (const word of split(spellOut(text))) {
    for (const pair of pairsOf(word)) give(pair, pairWeight);
    const meanings = isHangul.test(word) ? meaningsOf(word) : [word];
    for (const meaning of meanings) {
      if (stopWords.has(meaning)) continue;
      give(meaning, 1);
      for (const synonym of synonymsOf(stem(meaning))) give(synonym, synonymWeight);
    }
  }
  return weights;
}

/** What the form of a word tells, said in words. */
function spellOut(text: string): string {
  const hints = forms.flatMap(([form, meaning]) => (form.test(text) ? [meaning] : []));
  return [text, ...hints].join(" ");
}

const forms: readonly (readonly [RegExp, string])[] = [
  [/\b[A-Z]{2,10}-\d+\b/, "jira ticket"],
  [/(?:^|\s)#[a-z]/, "channel"],
  [/\bPR\b/, "pull request"],
  [/\b\d{1,3}(?:\.\d{1,3}){3}\b/, "address host"],
  [/https?:\/\//, "website url"],
  [/\.(?:png|jpe?g|gif|webp|avif|svg)\b/i, "image"],
  [/\.(?:mp4|mov|mkv|avi)\b/i, "video"],
  [/\.(?:mp3|wav|m4a|ogg)\b/i, "audio"],
  [/\.docx?\b/i, "word document"],
  [/\.xlsx?\b/i, "spreadsheet"],
  [/\.ya?ml\b/i, "manifest"],
];

const synonymWeight = 0.5;
const pairWeight = 0.7;
const isHangul = /\p{Script=Hangul}/u;
const runsTogether = /[\p{Script=Hangul}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

function meaningsOf(word: string): string[] {
  return isHangul.test(word) ? englishOf(word) : [];
}

/** Every two characters that follow each other: a particle or an ending then hides nothing of the word before it. */
function pairsOf(word: string): string[] {
  if (!runsTogether.test(word)) return [];
  const characters = Array.from(word);
  return characters.length < 2
    ? characters
    : characters.slice(1).map((character, at) => `${characters[at]}${character}`);
}

/** `createEvent`, `create_event` and "create event" are the same words; so are "e-mail" and "email". */
function split(text: string): string[] {
  return text
    .replaceAll(/\be-mail/gi, "email")
    .replaceAll(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");
}

const stopWords = new Set(
  (
    "a an the this that these those it its i me my mine we us our you your he she they them their is are was were be been am do does did " +
    "has have had can could will would should may might must of in on at to from by for with about into onto out off over under as and or " +
    "but not no so if then than too very just please now here there what which who whom whose when where why how all any some each every " +
    "want need like let lets get got give go going im ill ive don t s m re ll ve there up down much many long does don doesn"
  ).split(" "),
);

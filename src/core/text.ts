/** At most `limit` characters, saying how many were cut. Never splits a surrogate pair. */
export function cutText(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const kept = wholeCharacters(text, limit);
  return release(`${text.slice(0, kept)}… [${text.length - kept} characters cut]`);
}

/** At most `limit` characters and nothing else; for summaries. */
export function clipText(text: string, limit: number): string {
  return text.length <= limit ? text : release(text.slice(0, wholeCharacters(text, limit)));
}

/** At most `limit` characters (100 or more): the first and the last of it, and between them how many were cut. */
export function cutMiddle(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const { head, from } = findMiddle(text, limit);
  return release(`${text.slice(0, head)}\n… [${from - head} characters cut] …\n${text.slice(from)}`);
}

/** What `cutMiddle` removes: from `head` up to `from`. */
export function findMiddle(text: string, limit: number): { head: number; from: number } {
  const kept = limit - roomForNote;
  const head = wholeCharacters(text, Math.ceil(kept / 2));
  const tail = text.length - Math.floor(kept / 2);
  const from = isLowSurrogate(text.charCodeAt(tail)) && isHighSurrogate(text.charCodeAt(tail - 1)) ? tail + 1 : tail;
  return { head, from };
}

const roomForNote = 40;

function wholeCharacters(text: string, limit: number): number {
  return limit > 0 && isHighSurrogate(text.charCodeAt(limit - 1)) ? limit - 1 : limit;
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}

/** A slice keeps the whole text it was cut from alive; a slice of a joined text copies it first and lets go. */
function release(slice: string): string {
  return ` ${slice}`.slice(1);
}

/** Text of others between two tags of ours. It can't end itself: a closing tag in it is broken up. */
export function fence(tag: string, text: string, attributes: Readonly<Record<string, string>> = {}): string {
  const named = Object.entries(attributes).map(([name, value]) => ` ${name}=${quote(value)}`);
  const safe = text.replaceAll(new RegExp(`<(\\s*/\\s*${tag})`, "gi"), "<\u200b$1");
  return `<${tag}${named.join("")}>\n${safe.replace(/^(?:[^\S\n]*\n)+/, "").trimEnd()}\n</${tag}>`;
}

/** What the person said, without what came along behind it. */
export function withoutAttached(prompt: string): string {
  return prompt.replace(/\n\n<(?:stdin|file|folder)(?: path="[^\n]*")?>\n[\s\S]*$/, "");
}

function quote(value: string): string {
  return JSON.stringify(value).replaceAll("<", "\\u003c");
}

/** The candidates that a typing mistake could have turned into `word`, nearest first. */
export function nearest(word: string, candidates: Iterable<string>, limit = 3): string[] {
  const wanted = word.toLowerCase().slice(0, 64);
  const scored: { candidate: string; score: number }[] = [];
  for (const candidate of candidates) {
    const known = candidate.toLowerCase();
    const within = wanted.length >= 3 && known.length >= 3 && (known.includes(wanted) || wanted.includes(known));
    const edits = distance(wanted, known);
    const allowed = Math.max(1, Math.floor(Math.max(wanted.length, known.length) / 3));
    if (within || edits <= allowed) scored.push({ candidate, score: within ? Math.min(edits, 1.5) : edits });
  }
  // Of two that are as near, the one with the same letters: they are swapped more often than forgotten.
  const letters = (text: string): string => text.split("").toSorted().join("");
  const isOther = (candidate: string): number => (letters(candidate.toLowerCase()) === letters(wanted) ? 0 : 1);
  scored.sort(
    (a, b) =>
      a.score - b.score || isOther(a.candidate) - isOther(b.candidate) || a.candidate.localeCompare(b.candidate),
  );
  return scored.slice(0, limit).map(({ candidate }) => candidate);
}

/** Edits (insert, delete, replace, swap of neighbours) from one word to the other. */
function distance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const replace = last[column - 1]! + (a[row - 1] === b[column - 1] ? 0 : 1);
      let best = Math.min(replace, last[column]! + 1, current[column - 1]! + 1);
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (swapped) best = Math.min(best, beforeLast[column - 2]! + 1);
      current.push(best);
    }
    beforeLast = last;
    last = current;
  }
  return last[b.length]!;
}

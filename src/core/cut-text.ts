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

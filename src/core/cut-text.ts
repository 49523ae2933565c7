/** At most `limit` characters, saying how many were cut. Never splits a surrogate pair. */
export function cutText(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const kept = wholeCharacters(text, limit);
  return `${text.slice(0, kept)}… [${text.length - kept} characters cut]`;
}

/** At most `limit` characters and nothing else; for summaries. */
export function clipText(text: string, limit: number): string {
  return text.length <= limit ? text : text.slice(0, wholeCharacters(text, limit));
}

function wholeCharacters(text: string, limit: number): number {
  const last = text.charCodeAt(limit - 1);
  return last >= 0xd800 && last <= 0xdbff ? limit - 1 : limit;
}

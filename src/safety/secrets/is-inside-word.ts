/** Whether what begins here only goes on with a word. The `n` of an escaped line break and the `20` of a `%20` are no word. */
export function isInsideWord(text: string, at: number, wordCharacter = /[A-Za-z0-9]/): boolean {
  if (at === 0 || !wordCharacter.test(text[at - 1]!)) return false;
  // oxlint-disable-next-line no-control-regex -- the sequences that programs put around words to colour them
  return !/\\[nrtbf]$|\\u00[0-9a-fA-F]{2}$|%[0-9a-fA-F]{2}$|\u001b\[[0-9;]{0,8}m$/.test(
    text.slice(Math.max(0, at - 12), at),
  );
}

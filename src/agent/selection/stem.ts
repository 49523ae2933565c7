/** Light: it only has to treat the forms of one word alike, not to find its root. */
export function stem(word: string): string {
  if (word.length < 4 || !/^[a-z]+$/.test(word)) return word;
  const singular = word.endsWith("ies") ? `${word.slice(0, -3)}y` : /[^sui]s$/.test(word) ? word.slice(0, -1) : word;
  const plain = singular.replace(/(?<=[a-z]{3})(?:ing|ed)$/, "");
  const undoubled = plain === singular ? plain : plain.replace(/([bdgmnprt])\1$/, "$1");
  return undoubled.length > 3 ? undoubled.replace(/e$/, "") : undoubled;
}

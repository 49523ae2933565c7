/** Text of others between two tags of ours. It can't end itself: a closing tag in it is broken up. */
export function fence(tag: string, text: string, attributes: Readonly<Record<string, string>> = {}): string {
  const named = Object.entries(attributes).map(([name, value]) => ` ${name}=${JSON.stringify(value)}`);
  const safe = text.replaceAll(new RegExp(`<(\\s*/\\s*${tag})`, "gi"), "<\u200b$1");
  return `<${tag}${named.join("")}>\n${safe.trim()}\n</${tag}>`;
}

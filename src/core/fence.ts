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

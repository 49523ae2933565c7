import { isWorthHiding } from "./environment-secrets.ts";
import type { Trigger } from "./trigger-index.ts";

const leastLength = 8;

/** What finds a value that is known to be secret, as it is and in the forms in which programs print it. */
export function knownValueTriggers(secret: string, family = "known"): Trigger[] {
  if (secret.trim().length < leastLength) return [];
  return [...formsOf(secret.trim())].map((form) => ({
    word: form,
    anyCase: false,
    find: (_text, at) => ({ start: at, end: at + form.length, family, value: secret.trim() }),
  }));
}

/** Where the first of these words begins that the end of a text has only a part of; `to` when there is none. */
export function findOpenValue(text: string, words: readonly string[], { from, to }: Range): number {
  let open = to;
  for (const word of words) {
    let at = Math.max(from, text.length - word.length + 1);
    for (at = text.indexOf(word[0]!, at); at >= 0 && at < open; at = text.indexOf(word[0]!, at + 1)) {
      if (word.startsWith(text.slice(at, at + 16)) && word.startsWith(text.slice(at))) open = at;
    }
  }
  return open;
}

interface Range {
  readonly from: number;
  readonly to: number;
}

function formsOf(secret: string): Set<string> {
  const forms = new Set([secret]);
  for (const line of linesOf(secret)) for (const form of [line, ...escapedFormsOf(line)]) forms.add(form);
  if (/[^\r]\n/.test(secret)) forms.add(secret.replaceAll(/\r?\n/g, "\r\n"));
  for (const form of escapedFormsOf(secret)) forms.add(form);
  forms.add(Buffer.from(secret).toString("hex"));
  for (const form of base64FormsOf(secret)) forms.add(form);
  return new Set([...forms].filter((form) => form.length >= leastLength));
}

/** A value of several lines is told by each of them, too: programs print them one by one. A document is not, its lines are common. */
function linesOf(secret: string): string[] {
  const lines = secret.split(/\r?\n/).map((line) => line.trim());
  if (lines.length === 1 || /^[[{<]/.test(secret)) return [];
  return lines.filter(
    (line) => line.length >= leastLine && isWorthHiding(line) && !/^-{4,}|^[A-Z][\w-]{1,30}: /.test(line),
  );
}

const leastLine = 12;

function escapedFormsOf(secret: string): Set<string> {
  const forms = new Set<string>();
  const json = JSON.stringify(secret).slice(1, -1);
  const url = tryEncode(secret);
  forms.add(json);
  forms.add(JSON.stringify(json).slice(1, -1));
  forms.add(json.replaceAll(/[<>&']/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`));
  forms.add(url);
  forms.add(url.replaceAll("%20", "+"));
  forms.add(url.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()));
  const strict = url.replaceAll(/[!'()*~]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
  forms.add(strict);
  forms.add(strict.replaceAll("%20", "+"));
  forms.add(secret.replaceAll("'", `'\\''`));
  forms.add(secret.replaceAll("'", `'"'"'`));
  forms.add(secret.replaceAll(/["$`\\]/g, "\\$&"));
  forms.add(secret.replaceAll(/[^\w./:=@%+,-]/g, "\\$&"));
  forms.add(escapeMarkup(secret));
  return forms;
}

/** What of the base64 of a longer text is there because of the secret, wherever in that text it stands. */
function base64FormsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [0, 1, 2].flatMap((shift) => {
    const encoded = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString("base64")
      .replaceAll("=", "");
    const whole = Math.floor(((shift + bytes.length) * 8) / 6);
    const stable = encoded.slice(Math.ceil((shift * 8) / 6), whole);
    const form = shift === 0 ? [encoded, stable] : [stable];
    return form.flatMap((text) => [text, text.replaceAll("+", "-").replaceAll("/", "_")]);
  });
}

function tryEncode(secret: string): string {
  try {
    return encodeURIComponent(secret);
  } catch {
    // Half of a surrogate pair: no program could have put it into a URL.
    return secret;
  }
}

function escapeMarkup(secret: string): string {
  return secret
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");
}

import type { Trigger } from "./secret-span.ts";

const leastLength = 8;

/** What finds a value that is known to be secret, as it is and in the forms in which programs print it. */
export function knownValueTriggers(secret: string): Trigger[] {
  if (secret.trim().length < leastLength) return [];
  return [...formsOf(secret.trim())].map((form) => ({
    word: form,
    anyCase: false,
    find: (_text, at) => ({ start: at, end: at + form.length, family: "known", value: secret.trim() }),
  }));
}

function formsOf(secret: string): Set<string> {
  const forms = new Set([secret]);
  for (const line of secret.split(/\r?\n/)) if (/^[A-Za-z0-9+/=_-]{20,}$/.test(line.trim())) forms.add(line.trim());
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
  forms.add(Buffer.from(secret).toString("hex"));
  for (const form of base64FormsOf(secret)) forms.add(form);
  return new Set([...forms].filter((form) => form.length >= leastLength));
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

import { secretLabels } from "./secret-labels.ts";

/**
 * How much the name of a key says about its value.
 * - `password`: whatever is behind it, somebody made it up as a secret
 * - `token`: a secret if it looks random; names of tokens and secrets are common, too
 * - `pin`: a number of four to eight digits
 * - `doubtful`: a secret only if it looks very random
 */
export type KeyStrength = "password" | "token" | "doubtful" | "pin";

export interface SecretKey {
  readonly strength: KeyStrength;
  readonly family: string;
}

const all = (kind: "password" | "token" | "pin"): string[] => [
  ...new Set(secretLabels.flatMap((labels) => [...(labels[kind] ?? [])])),
];
const labels = { password: all("password"), token: all("token"), pin: all("pin") };
const labelWords = [...labels.password, ...labels.token, ...labels.pin];

/** The beginnings of the words by which a key may end; each leads to a look at the whole key. Three characters or more. */
export const keyStems: readonly string[] = [
  ...new Set([
    ..."pass pwd secret token key auth cred mnemonic seed phrase signature".split(" "),
    ...labelWords.filter((word) => word.length > 2),
  ]),
];

/** Two characters are too few for a trigger: it takes what can stand behind them, too. */
export const shortKeyStems: readonly string[] = labelWords.filter((word) => word.length === 2);
export const behindShortStems = " \n\r\u00a0\u3000:=\"'：는은이가是为為はが)]".split("");

const longestFirst = (texts: readonly string[]): string =>
  [...texts]
    .sort((a, b) => b.length - a.length)
    .map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
    .join("|");

const ends = new RegExp(
  String.raw`^(?:${longestFirst(labelWords)}|pass(?:word|wd|phrase|code|wort|w)?|pwd|secret|token|key(?:_base)?|auth|credentials?|creds?|mnemonic|seed[-_ ]?phrase|phrase|signature)(?:[-_]?\d{1,2})?(?![\p{Script=Latin}\p{N}\p{M}_]|-[A-Za-z])`,
  "iu",
);
const endOfPassword = new RegExp(`(?:${longestFirst(labels.password)})$`, "iu");
const endOfToken = new RegExp(`(?:${longestFirst(labels.token)})$`, "iu");
const endOfPin = new RegExp(String.raw`(?<![\p{L}\p{N}_-])(?:${longestFirst(labels.pin)})$`, "iu");

/** The end of the key whose last word begins here; nothing when the key goes on, as in `password_file` or `tokens`. */
export function matchKeyEnd(text: string, at: number): number | undefined {
  const found = ends.exec(text.slice(at, at + 48));
  return found ? at + found[0].length : undefined;
}

/** What a key's name says; nothing when it names no secret, as `primary_key` and `next_page_token` do. */
export function judgeKey(name: string): SecretKey | undefined {
  const known = judged.get(name);
  if (known !== undefined) return known === null ? undefined : known;
  const key = judgeWords(name);
  if (judged.size >= maxJudged) judged.clear();
  judged.set(name, key ?? null);
  return key;
}

/** Texts repeat their keys. */
const judged = new Map<string, SecretKey | null>();
const maxJudged = 1000;

function judgeWords(name: string): SecretKey | undefined {
  const label = judgeLabel(name.replace(/[-_ ]?\d{1,2}$/, ""));
  if (label) return label;
  const words = name
    .replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, " ")
    .replace(/[-_ ]?\d{1,2}$/, "")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);
  // Rails calls it `secret_key_base`.
  if (words.at(-1) === "base") words.pop();
  const last = words.at(-1) ?? "";
  const before = words.at(-2) ?? "";
  if (passwordWord.test(last)) {
    const isAbout = words.slice(0, -1).some((word) => aboutPasswords.has(word));
    return { strength: isAbout ? "token" : "password", family: "password" };
  }
  if (/(?:mnemonic|phrase)$/.test(last)) return judgePhrase(last, before);
  if (last.endsWith("secret")) return { strength: "token", family: "secret" };
  if (last.endsWith("token")) return judgeToken(last, before);
  if (last.endsWith("key")) return judgeKeyWord(last === "key" ? before : last.slice(0, -3));
  if (last.endsWith("signature"))
    return words.some((word) => word === "amz" || word === "goog" || word === "access")
      ? { strength: "doubtful", family: "signature" }
      : undefined;
  if (
    last === "pass" ||
    last === "passw" ||
    /^(?:db|smtp|mail|user|admin|root|ftp|login|store|key|trust)pass$/.test(last)
  )
    return { strength: "token", family: "password" };
  if (/^(?:\w+)?(?:auth|creds?|credentials?)$/.test(last) && !last.endsWith("oauth"))
    return { strength: "doubtful", family: "credential" };
  return undefined;
}

/** English words are judged by what stands before them; of the other languages, what the label says is enough. */
function judgeLabel(name: string): SecretKey | undefined {
  if (/^[\w$-]*(?:token|secret|passphrase)$/i.test(name)) return undefined;
  if (endOfPin.test(name)) return { strength: "pin", family: "pin" };
  if (endOfPassword.test(name)) return { strength: "password", family: "password" };
  return endOfToken.test(name) ? { strength: "token", family: "token" } : undefined;
}

function judgePhrase(last: string, before: string): SecretKey | undefined {
  const isSecret =
    /mnemonic$|(?:seed|recovery|secret)phrase$/.test(last) || /^(?:seed|recovery|secret|mnemonic|pass)$/.test(before);
  return isSecret ? { strength: "password", family: "secret" } : undefined;
}

function judgeToken(last: string, before: string): SecretKey | undefined {
  if (harmlessTokens.has(before) || /^(?:page|cancel|cancellation|continuation|nextpage)token$/.test(last))
    return undefined;
  return { strength: "token", family: "token" };
}

function judgeKeyWord(of: string): SecretKey | undefined {
  if (secretKeys.has(of) || /(?:api|access|secret|private|encryption|signing|master|shared|auth)$/.test(of))
    return { strength: "token", family: "key" };
  return doubtfulKeys.has(of) ? { strength: "doubtful", family: "key" } : undefined;
}

const passwordWord = /(?:password|passwd|passphrase|passcode|passwort|pwd)$/;

/** Switches, labels and links about a password. */
const aboutPasswords = new Set(
  "forgot forgotten reset change show hide require required allow use has with without enable disable wrong invalid incorrect missing validate verify check no is".split(
    " ",
  ),
);

const harmlessTokens = new Set(
  "page continuation next prev previous sync cancellation cancel max min num total per pad eos bos unk sep cls mask stop special start end first last current lexer parser syntax design color theme resume watermark delimiter input output prompt completion string peek".split(
    " ",
  ),
);

const secretKeys = new Set(
  "api access secret private priv encryption decryption crypto cipher signing sign account shared master auth service role subscription admin client consumer app application webhook hmac jwt fernet aes rails django flask cookie stripe openai anthropic claude gemini google maps aws azure github gitlab slack twilio sendgrid mailgun mailchimp datadog dd newrelic cloudflare heroku algolia firebase supabase deepseek mistral cohere groq perplexity huggingface replicate openrouter security license unseal recovery preshared psk".split(
    " ",
  ),
);

const doubtfulKeys = new Set(
  "write session server integration hash salt storage deploy root tls ssl wireguard host user my the".split(" "),
);

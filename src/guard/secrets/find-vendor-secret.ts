import { isPlaceholder, isWordy } from "./judge-value.ts";
import { unwrapFrom } from "./joined-text.ts";
import { isInsideWord } from "./read-value.ts";
import type { FindAt, Scan, SecretSpan, Trigger } from "./trigger-index.ts";
import { vendorFormats, type VendorFormat } from "./vendor-formats.ts";

/** Secrets whose own form says what they are. */
export function vendorTriggers(): Trigger[] {
  return [
    ...vendorFormats.map((format) => exact(format[1], findFormat(format))),
    ..."0123456789abcdefABCDEF".split("").map((digit) => exact(`SK${digit}`, findTwilio)),
    ...discordBeginnings().map((word) => exact(word, findDiscord)),
    ...["AKIA", "ASIA"].map((word) => exact(word, findAwsNeighbour)),
    exact("-us", findMailchimp),
    exact(".atlasv1.", findTerraform),
    exact("/services/T", findSlackWebhook),
    exact("/api/webhooks/", findDiscordWebhook),
    exact("/webhookb2/", findTeamsWebhook),
    ...["$2a$", "$2b$", "$2y$", "$6$", "$5$", "$argon2", "$y$"].map((word) => exact(word, findPasswordHash)),
  ];
}

function exact(word: string, find: FindAt): Trigger {
  return { word, anyCase: false, find };
}

function findFormat([family, beginning, rest]: VendorFormat): FindAt {
  // Most formats are never met: each is made into a pattern when it is.
  let pattern: RegExp | undefined;
  // `task-`, `disk-` and kebab-case names are full of it.
  const isCommon = beginning.length < 5 && beginning.endsWith("-");
  // Letters alone are also part of what base64 makes of a picture; a slash before them is part of it, too.
  const isPlain = /^[A-Za-z0-9]+$/.test(beginning) && !rest.endsWith(")");
  const wordCharacter = isCommon ? /[A-Za-z0-9_-]/ : isPlain ? /[A-Za-z0-9+/]/ : /[A-Za-z0-9]/;
  const startsInside = !/^[A-Za-z0-9]/.test(beginning);
  return (text, at, scan) => {
    if (at < (scan.readTo.get(family) ?? 0)) return undefined;
    if (!startsInside && isInsideWord(text, at, { ends: scan.ends, wordCharacter })) return undefined;
    pattern ??= new RegExp(rest, "y");
    pattern.lastIndex = at + beginning.length;
    const body = pattern.exec(text)?.[0];
    const wrapped = findWrapped(text, at, { pattern, begins: beginning.length, found: body, scan });
    if (wrapped !== undefined) return { start: at, ...wrapped, family };
    if (body !== undefined) scan.readTo.set(family, at + beginning.length + body.length);
    if (body === undefined || isPlaceholder(body) || (body.length < 64 && /[-_]/.test(body) && isWordy(body)))
      return undefined;
    const end = at + beginning.length + body.length;
    if (beginning === ":AA") return telegram(text, at, end);
    return { start: beginning.endsWith("=") || beginning.endsWith(" ") ? at + beginning.length : at, end, family };
  };
}

interface Wrapping {
  readonly pattern: RegExp;
  /** How long the beginning is. */
  readonly begins: number;
  /** What follows it in the same line. */
  readonly found: string | undefined;
  readonly scan: Scan;
}

/** A token that goes on in the next line: only there does it become whole, or it is a word of its own that looks like more of it. */
function findWrapped(
  text: string,
  at: number,
  { pattern, begins, found, scan }: Wrapping,
): Pick<SecretSpan, "end" | "value"> | undefined {
  const wordEnd = at + begins + (found?.length ?? 0);
  if (found !== undefined && !/[ \t\\]{0,3}\r?\n/y.test(text.slice(wordEnd, wordEnd + 6))) return undefined;
  const joined = unwrapFrom(text, at, scan);
  if (!joined || (found !== undefined && joined.firstBreak !== begins + found.length)) return undefined;
  pattern.lastIndex = begins;
  const body = pattern.exec(joined.text)?.[0];
  const length = begins + (body?.length ?? 0);
  if (body === undefined || length <= joined.firstBreak || isPlaceholder(body)) return undefined;
  // What follows must be made of the same stuff, and fill its lines up to the last.
  const after = joined.text.slice(joined.firstBreak, length);
  if (found !== undefined && !/\d/.test(after)) return undefined;
  if (isWordy(after) && !/\d.*[A-Za-z].*\d|[a-z].*[A-Z].*[a-z]/.test(after)) return undefined;
  return { end: joined.endOf(length), value: joined.text.slice(0, length) };
}

/** Whether a line ends in what may be the first part of a token. */
export function mayGoOn(line: string): boolean {
  const last = /[A-Za-z0-9_+/=.-]{6,2048}(?=[ \t\\]{0,3}\r?\n?$)/.exec(line.slice(-2100))?.[0];
  if (last === undefined) return false;
  if (line.length > 60 && last.length >= 20 && /\d/.test(last)) return true;
  return last.includes("eyJ") || vendorFormats.some(([, beginning]) => last.includes(beginning));
}

/** The number of the bot before the colon is no secret. */
function telegram(text: string, at: number, end: number): SecretSpan | undefined {
  return /(?<!\d)\d{6,12}$/.test(text.slice(Math.max(0, at - 13), at))
    ? { start: at + 1, end, family: "telegram" }
    : undefined;
}

const findTwilio = findFormat(["twilio", "SK", "[0-9a-fA-F]{32}(?![A-Za-z0-9])"]);

/** The number of a person in base64, so it begins in one of 120 ways. */
function discordBeginnings(): string[] {
  const [first, second, third] = ["MNO", "DTjz", "AEIMQUYcgk"].map((letters) => letters.split(""));
  return first!.flatMap((a) => second!.flatMap((b) => third!.map((c) => a + b + c)));
}
const findDiscord = findFormat(["discord", "", "[A-Za-z0-9]{22,28}\\.[A-Za-z0-9_-]{6,7}\\.[A-Za-z0-9_-]{25,110}"]);

/** A secret access key has no form of its own, but rarely is far from its id. */
function findAwsNeighbour(text: string, at: number): SecretSpan | undefined {
  const near = text.slice(at, at + 160);
  const found = /^[A-Z0-9]{20}(?![A-Za-z0-9])[^\n]{0,60}?(?<![A-Za-z0-9/+=])([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+])/.exec(
    near,
  );
  if (!found || !/\d/.test(found[1]!) || !/[a-z]/.test(found[1]!) || !/[A-Z]/.test(found[1]!)) return undefined;
  const end = at + found[0].length;
  return { start: end - 40, end, family: "aws" };
}

function findMailchimp(text: string, at: number, scan: Scan): SecretSpan | undefined {
  const found = /^-us\d{1,2}(?![A-Za-z0-9])/.exec(text.slice(at, at + 6));
  if (!found || !/^[0-9a-f]{32}$/.test(text.slice(Math.max(0, at - 32), at)) || isInsideWord(text, at - 32, scan))
    return undefined;
  return { start: at - 32, end: at + found[0].length, family: "mailchimp" };
}

function findTerraform(text: string, at: number, scan: Scan): SecretSpan | undefined {
  const after = /^\.atlasv1\.[A-Za-z0-9_=-]{20,128}/.exec(text.slice(at, at + 140));
  const before = /[A-Za-z0-9]{10,20}$/.exec(text.slice(Math.max(0, at - 20), at))?.[0].length;
  if (!after || before === undefined) return undefined;
  for (let start = at - before; start <= at - 10; start++) {
    if (!isInsideWord(text, start, scan)) return { start, end: at + after[0].length, family: "terraform" };
  }
  return undefined;
}

function findSlackWebhook(text: string, at: number): SecretSpan | undefined {
  if (!/hooks\.slack(?:-gov)?\.com$/.test(text.slice(Math.max(0, at - 24), at))) return undefined;
  const found = /^\/services\/([A-Za-z0-9_]{6,40}\/[A-Za-z0-9_]{6,40}\/[A-Za-z0-9_]{12,64})/.exec(
    text.slice(at, at + 180),
  );
  return found && !isPlaceholder(found[1]!.split("/")[2]!) ? tail(at, found, "slack") : undefined;
}

function findDiscordWebhook(text: string, at: number): SecretSpan | undefined {
  const found = /^\/api\/webhooks\/\d{10,22}\/([A-Za-z0-9_-]{30,100})/.exec(text.slice(at, at + 150));
  return found && !isPlaceholder(found[1]!) ? tail(at, found, "discord") : undefined;
}

function findTeamsWebhook(text: string, at: number): SecretSpan | undefined {
  const found =
    /^\/webhookb2\/([0-9a-fA-F-]{36}@[0-9a-fA-F-]{36}\/IncomingWebhook\/[0-9a-zA-Z]{20,64}\/[0-9a-fA-F-]{36})/.exec(
      text.slice(at, at + 220),
    );
  return found ? tail(at, found, "teams") : undefined;
}

/** What `crypt` makes of a password can be tried offline. */
function findPasswordHash(text: string, at: number): SecretSpan | undefined {
  const found =
    /^(?:\$2[aby]\$\d{2}\$[./A-Za-z0-9]{53}|\$[56]\$(?:rounds=\d{1,9}\$)?[./A-Za-z0-9]{1,16}\$[./A-Za-z0-9]{43,86}|\$y\$[./A-Za-z0-9]{1,8}\$[./A-Za-z0-9]{8,64}\$[./A-Za-z0-9]{43}|\$argon2(?:id|i|d)\$v=\d{1,3}\$[a-z]=\d{1,9},[a-z]=\d{1,9},[a-z]=\d{1,9}\$[A-Za-z0-9+/]{8,128}\$[A-Za-z0-9+/]{16,256})/.exec(
      text.slice(at, at + 512),
    );
  return found ? { start: at, end: at + found[0].length, family: "password-hash" } : undefined;
}

function tail(at: number, found: RegExpExecArray, family: string): SecretSpan {
  const end = at + found[0].length;
  return { start: end - found[1]!.length, end, family };
}

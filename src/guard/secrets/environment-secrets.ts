import { isPath, isPlaceholder, isReference } from "./judge-value.ts";

/** The values of an environment that must never be written down: those whose name says so, and passwords in links. */
export function findEnvironmentSecrets(env: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(env).flatMap(([name, value = ""]) => {
    const inLink = /^[a-z][a-z0-9+.-]*:\/\/[^\s/@:]*:([^\s/]+)@/i.exec(value)?.[1];
    if (inLink !== undefined) return isWorthHiding(inLink) ? [inLink, decode(inLink)] : [];
    if (!saysSecret(name)) return [];
    return value.trimStart().startsWith("{") ? [value, ...partsOf(value)] : isWorthHiding(value) ? [value] : [];
  });
}

const secretName =
  /KEY|SECRET|TOKEN|PASSWORD|PASSWD|PASSPHRASE|PASSCODE|CREDENTIAL|APIKEY|(?:^|_)(?:PASS|PWD|PW|PAT|AUTH|DSN|COOKIE|SALT|MNEMONIC|JWT|CREDS?)(?:_|\d|$)/i;
/** What is about a key and is none: its file, its name, its size; and what only has the letters in it. */
const harmlessName =
  /KEYBOARD|KEYMAP|KEYRING|KEYCHAIN|KEYSTORE_(?:TYPE|PATH)|MONKEY|TURKEY|HOTKEY|TOKENIZER|TOKENS|(?:_|^)(?:PUBLIC|GPG|PGP|PUBLISHABLE|PRIMARY|CACHE)_KEY|(?:_|^)(?:FILE|PATH|DIR|SOCK|SOCKET|NAME|TYPE|HOST|PORT|COUNT|LIMIT|LENGTH|SIZE|TTL|TIMEOUT|EXPIRY|EXPIRES|ENABLED|DISABLED|ALGORITHM|MODE|METHOD|PROVIDER|HELPER|STORE|URL|URI|ENDPOINT|VERSION|REGION|USER|USERNAME)$|^(?:OLD)?PWD$|^DISABLE_|^ENABLE_|^NO_/i;

function saysSecret(name: string): boolean {
  return secretName.test(name) && !harmlessName.test(name);
}

const leastLength = 8;

/** Whether a value can be told from words, numbers and paths wherever it stands. */
export function isWorthHiding(value: string): boolean {
  const head = value.trim().slice(0, 512);
  if (head.length < leastLength || isPath(head) || isReference(head) || isPlaceholder(head)) return false;
  // Words and numbers would be found everywhere.
  return !/^[a-z]{1,11}$|^[A-Z][a-z]{1,11}$|^\d{1,11}$/.test(head) && !commonValues.has(head.toLowerCase());
}

const commonValues = new Set(
  "development production localhost administrator postgres disabled authentication".split(" "),
);

/** A JSON document, such as a service account, is secret as a whole; so are its own secrets where they stand alone. */
function partsOf(value: string): string[] {
  try {
    return leavesOf(JSON.parse(value), "");
  } catch {
    return [];
  }
}

function leavesOf(value: unknown, name: string): string[] {
  if (typeof value === "string") return (saysSecret(name) || name === "auth") && isWorthHiding(value) ? [value] : [];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) => leavesOf(each, key));
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

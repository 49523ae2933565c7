import { isSecretValue, type ValueSetting } from "./judge-value.ts";
import { findKeyJoin, type KeyJoin } from "./key-join.ts";
import { extendValue, readUpTo, readValue, type ReadValue } from "./read-value.ts";
import { behindShortStems, judgeKey, keyStems, matchKeyEnd, shortKeyStems, type SecretKey } from "./secret-keys.ts";
import type { Scan, SecretSpan, Trigger } from "./secret-span.ts";
import { settleValue, type KeyedValue } from "./settle-value.ts";
import { endBeforeCommand } from "./shell-operators.ts";

/** Values whose key ends in a word for a secret: `DB_PASSWORD=…`, `"apiKey": "…"`, `--token …`, `<secret>…</secret>`. */
export function keyedTriggers(): Trigger[] {
  const words = [...keyStems, ...shortKeyStems.flatMap((stem) => behindShortStems.map((next) => stem + next))];
  return words.map((word) => ({ word, anyCase: true, find: findKeyedSecret }));
}

function findKeyedSecret(text: string, at: number, scan: Scan): SecretSpan | undefined {
  // What stands inside a value that is masked already needs no look of its own.
  if (at < (scan.readTo.get("keyed") ?? 0)) return undefined;
  const keyEnd = matchKeyEnd(text, at);
  if (keyEnd === undefined) return undefined;
  const keyStart = findKeyStart(text, at);
  const keyJoin = findKeyJoin(text, keyStart, keyEnd);
  if (!keyJoin) return undefined;
  const key = judgeKey(text.slice(keyStart, keyEnd));
  if (!key) return undefined;

  const read = readJoined(text, keyJoin, scan);
  if (!read) return undefined;
  const place = { keyStart, keyEnd, keyJoin };
  if (!isSecret(text, { ...place, value: read }, { key, scan })) return noteTry(text, read, scan);
  const value = isShellJoin(text, place) ? endBeforeCommand(text, read) : read;
  if (value !== read && !isSecret(text, { ...place, value }, { key, scan })) return undefined;
  const end = extendValue(text, value);
  scan.readTo.set("keyed", end);
  return { start: value.start, end, family: key.family };
}

/** `pass:pass:…` without an end would be looked at again for each of its keys; no text that means something has so many. */
const maxTries = 64;
const restOfWord = /[^\s"'`]*/y;

function noteTry(text: string, { start, end }: ReadValue, scan: Scan): undefined {
  const count = start < scan.tried.end ? scan.tried.count + 1 : 1;
  scan.tried = { count, end };
  if (count <= maxTries) return;
  restOfWord.lastIndex = start;
  restOfWord.test(text);
  scan.readTo.set("keyed", restOfWord.lastIndex);
}

function isSecret(text: string, keyed: KeyedValue, { key, scan }: { key: SecretKey; scan: Scan }): boolean {
  const setting = settleValue(text, keyed);
  if (!setting) return false;
  const value = text.slice(keyed.value.start, keyed.value.end);
  return isSecretValue(value, inSetting(key, setting), scan.isCommand ? { ...setting, isCommand: true } : setting);
}

/** A variable or an option, as a shell would read it; what is in a query is not. */
function isShellJoin(text: string, { keyStart, keyEnd, keyJoin }: Omit<KeyedValue, "value">): boolean {
  if (text[keyStart] === "-") return true;
  const isTight = keyJoin.end === keyEnd + keyJoin.sign.length;
  return keyJoin.sign === "=" && isTight && !/[?&]/.test(text[keyStart - 1] ?? "");
}

function readJoined(text: string, { join, end, isEncoded }: KeyJoin, scan: Scan): ReadValue | undefined {
  if (join === "element") return readUpTo(text, end, /<|\n/);
  if (isEncoded) return readUpTo(text, end, /%(?:2[267cC]|7[dD]|0[aAdD])|[\s"'&<>]/);
  return readValue(text, skipBlockSign(text, end), scan);
}

/** YAML: the text of `password: |` is on the next line. */
function skipBlockSign(text: string, at: number): number {
  return at + (/^[|>][-+]?\d?[ \t]*\r?\n[ \t]+/.exec(text.slice(at, at + 80))?.[0].length ?? 0);
}

/** `pass` alone is a common word; as a variable or an option it is a password. */
function inSetting(key: SecretKey, { isLiteral }: ValueSetting): SecretKey {
  return isLiteral && key.family === "password" ? { ...key, strength: "password" } : key;
}

function isKeyCharacter(code: number): boolean {
  if (code > 127) return true;
  return (
    (code >= 97 && code <= 122) ||
    (code >= 65 && code <= 90) ||
    (code >= 45 && code <= 57 && code !== 47) ||
    code === 95 ||
    code === 36
  );
}

function findKeyStart(text: string, at: number): number {
  let start = at;
  const limit = Math.max(0, at - 64);
  while (start > limit && isKeyCharacter(text.charCodeAt(start - 1))) start -= 1;
  // The end of a sequence that colours the key.
  if (text.startsWith("\u001b[", start - 2)) start += /^[0-9;]{0,8}m/.exec(text.slice(start, at))?.[0].length ?? 0;
  // The `n` of an escaped line break.
  if (start < at && text[start - 1] === "\\" && /[nrt]/.test(text[start]!)) start += 1;
  // `API key: …`
  if (start === at)
    start -=
      /(?:api|access|secret|private|signing|encryption|auth|license|master|account) $/i.exec(
        text.slice(Math.max(0, at - 12), at),
      )?.[0].length ?? 0;
  return start;
}

import { isSecretValue, looksVeryRandom, type ValueSetting } from "./judge-value.ts";
import { findKeyJoin, type KeyJoin } from "./key-join.ts";
import { endBeforeCommand, extendValue, readUpTo, type ReadValue, readValue } from "./read-value.ts";
import { behindShortStems, judgeKey, keyStems, matchKeyEnd, shortKeyStems, type SecretKey } from "./secret-keys.ts";
import type { Scan, SecretSpan, Trigger } from "./trigger-index.ts";

/** Values whose key ends in a word for a secret: `DB_PASSWORD=…`, `"apiKey": "…"`, `--token …`, `<secret>…</secret>`. */
export function keyedTriggers(): Trigger[] {
  const words = [...keyStems, ...shortKeyStems.flatMap((stem) => behindShortStems.map((next) => stem + next))];
  return words.map((word) => ({ word, anyCase: true, find: findKeyedSecret }));
}

function findKeyedSecret(text: string, at: number, scan: Scan): SecretSpan | readonly SecretSpan[] | undefined {
  // What stands inside a value that is masked already needs no look of its own.
  if (at < (scan.readTo.get("keyed") ?? 0)) return undefined;
  const keyEnd = matchKeyEnd(text, at);
  if (keyEnd === undefined) return undefined;
  const keyStart = findKeyStart(text, at);
  const keyJoin = findKeyJoin(text, keyStart, keyEnd);
  if (!keyJoin || isInName(text, keyStart)) return undefined;
  const key = judgeKey(text.slice(keyStart, keyEnd));
  if (!key) return undefined;

  const cells = findTableCells(text, { keyStart, keyEnd });
  if (cells)
    return cells.filter((cell) => isCellSecret(text, cell, key)).map((cell) => ({ ...cell, family: key.family }));
  const read = readJoined(text, keyJoin, scan);
  if (!read) return undefined;
  const place = { keyStart, keyEnd, keyJoin };
  if (!isSecret(text, { ...place, value: read }, { key, scan })) return noteTry(text, read, scan);
  const value = isShellJoin(text, place) ? endBeforeCommand(text, read) : read;
  if (value !== read && !isSecret(text, { ...place, value }, { key, scan })) return undefined;
  const end = extendOverWrap(text, value, extendValue(text, value));
  scan.readTo.set("keyed", end);
  return { start: value.start, end, family: key.family };
}

/** `arn:aws:secretsmanager:…:secret:name`, `projects/x/secrets/…`: the word is a part of a name that only points to a secret. */
function isInName(text: string, keyStart: number): boolean {
  if (text[keyStart - 1] !== ":" && text[keyStart - 1] !== "/") return false;
  return /(?:^|[\s"'`=,([<])(?:arn:[\w-]*:|projects\/[\w-]+\/)[\w:/.-]*$/.test(
    text.slice(Math.max(0, keyStart - 200), keyStart),
  );
}

/** A long value that fills its line goes on in the next one, where it stands alone. */
function extendOverWrap(text: string, { start, isQuoted }: ReadValue, end: number): number {
  if (isQuoted || end - start < 20 || !looksVeryRandom(text.slice(start, end))) return end;
  const lineStart = text.lastIndexOf("\n", start) + 1;
  if (end - lineStart < 60) return end;
  const rest = /^\\?\r?\n[ \t]{0,40}([A-Za-z0-9_+/=-]{4,512})[ \t]*(?:\r?\n|$)/.exec(text.slice(end, end + 600));
  if (!rest || !/\d/.test(rest[1]!) || !/[A-Za-z]/.test(rest[1]!)) return end;
  return end + rest[0].indexOf(rest[1]!) + rest[1]!.length;
}

const mostRows = 200;
const separator = /^[ \t]*[|+:-][-+|:= \t]{2,2000}$/;

/** The cells below a heading of a table that is drawn with bars, as Markdown and database clients do; undefined for no table. */
function findTableCells(
  text: string,
  { keyStart, keyEnd }: { keyStart: number; keyEnd: number },
): { start: number; end: number }[] | undefined {
  if (!/^[ \t"'`*_]*(?:\||\r?\n)/.test(text.slice(keyEnd, keyEnd + 80))) return undefined;
  const lineStart = text.lastIndexOf("\n", keyStart - 1) + 1;
  const lineEnd = text.indexOf("\n", keyEnd);
  if (lineEnd < 0 || lineEnd - lineStart > 2000) return undefined;
  const header = text.slice(lineStart, lineEnd);
  if (!header.includes("|")) return undefined;
  const ruleEnd = text.indexOf("\n", lineEnd + 1);
  if (!separator.test(text.slice(lineEnd + 1, ruleEnd < 0 ? text.length : ruleEnd).replace("\r", ""))) return undefined;
  const column = header.slice(0, keyStart - lineStart).split("|").length - 1;
  const cells: { start: number; end: number }[] = [];
  let at = ruleEnd + 1;
  for (let row = 0; ruleEnd >= 0 && row < mostRows && at < text.length; row++) {
    const stop = text.indexOf("\n", at);
    const line = text.slice(at, stop < 0 ? text.length : stop);
    if (!line.includes("|") || line.length > 4000) break;
    const parts = line.split("|");
    const before = parts.slice(0, column).reduce((sum, part) => sum + part.length + 1, 0);
    const cell = parts[column] ?? "";
    const inner = cell.replace(/^[\s"'`*]+|[\s"'`*]+$/g, "");
    if (inner !== "") {
      const start = at + before + cell.indexOf(inner);
      cells.push({ start, end: start + inner.length });
    }
    if (stop < 0) break;
    at = stop + 1;
  }
  return cells;
}

function isCellSecret(text: string, { start, end }: { start: number; end: number }, key: SecretKey): boolean {
  const setting = { isQuoted: true, hasOwnLine: true, isLiteral: true, isSetting: true, isLoose: false };
  const value = text.slice(start, end);
  return !/\s|^[([<].*[)\]>]$/.test(value) && /\d|[^\p{L}\s]/u.test(value) && isSecretValue(value, key, setting);
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
  if (join === "below") return readLine(text, end);
  if (join === "element") return readUpTo(text, end, /<|\n/);
  if (isEncoded) return readUpTo(text, end, /%(?:2[267cC]|7[dD]|0[aAdD])|[\s"'&<>]/);
  return readValue(text, skipBlockSign(text, end), scan);
}

/** A line that holds one word and nothing else: no sentence, no further key, no prompt of a shell. */
function readLine(text: string, at: number): ReadValue | undefined {
  const line = /^[^\r\n]{0,600}/.exec(text.slice(at, at + 600))![0].trimEnd();
  const quoted = /^(["'`])(.{1,512})\1[,;]?$/.exec(line);
  const start = at + (quoted ? 1 : 0);
  const value = quoted ? quoted[2]! : line.replace(/[,;]$/, "");
  if (value === "" || /\s/.test(value) || (!quoted && /^[\w.-]+[:=]|^[-=~#|+]{2}|@.*[:~]|[$#%>:]$|^[<{[(]/.test(value)))
    return undefined;
  return { start, end: start + value.length, isQuoted: quoted !== null };
}

/** YAML: the text of `password: |` is on the next line. */
function skipBlockSign(text: string, at: number): number {
  return at + (/^[|>][-+]?\d?[ \t]*\r?\n(?:[ \t]*\r?\n){0,2}[ \t]+/.exec(text.slice(at, at + 80))?.[0].length ?? 0);
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

/** A key and what may be its value. */
interface KeyedValue {
  readonly keyStart: number;
  readonly keyEnd: number;
  readonly keyJoin: KeyJoin;
  readonly value: ReadValue;
}

/** In what surroundings a value stands; nothing when it can't be one. */
function settleValue(text: string, { keyStart, keyEnd, keyJoin, value }: KeyedValue): ValueSetting | undefined {
  const { join, sign, end, isEncoded } = keyJoin;
  const { isQuoted } = value;
  const before = text.slice(Math.max(0, keyStart - 48), keyStart).replaceAll(colour, "");
  const name = text.slice(keyStart, keyEnd);
  const lineBefore = before.slice(before.lastIndexOf("\n") + 1);
  const startsLine =
    /^[\s#;/-]*(?:export |set |- )?["']?$/.test(lineBefore) && (before.length < 48 || before.includes("\n"));
  const endsLine = /^["']?[ \t]*(?:\r?\n|$|#| \\)/.test(text.slice(value.end, value.end + 8));
  const hasOwnLine = startsLine && endsLine;
  const literal = { isQuoted, hasOwnLine, isLiteral: true, isSetting: true, isLoose: false };
  const loose = { ...literal, isLiteral: false, isLoose: true };
  const isShouted = /^[A-Z][A-Z\d_]*$/.test(name);
  const isOption = /^--?\w/.test(name) && /(?:^|[\s"'=([])$/.test(before);
  switch (join) {
    case "below":
      // Without a sign it is a heading, which has its line for itself.
      if (sign === "" && !/^[\s#*_>`"'-]*$/.test(lineBefore)) return undefined;
      return { ...literal, isLiteral: false, isBelow: true };
    case "assign": {
      // Before an arrow is a parameter or a key; no parameter has a word of its own before the word for a secret.
      if (sign === "=>" && !isQuoted && !/[a-z][_-][a-z]/.test(name)) return loose;
      // The shell's own way to name a variable, with a default or a complaint.
      if (before.endsWith("${")) return sign === ":-" || sign === ":=" ? loose : undefined;
      if (sign === ":-") return undefined;
      if (/^[!=]==?$/.test(sign)) return isQuoted ? loose : undefined;
      const isTight = !/[ \t]/.test(text.slice(keyEnd, end));
      const isVariable =
        sign === "=" &&
        isTight &&
        (isShouted ||
          isOption ||
          hasOwnLine ||
          /[?&]$|--[\w-]{1,40}=$|=[^;=\n]{1,40};[ ]?$|\w=\S{1,40} $/.test(before));
      return { ...literal, isLiteral: isVariable || isEncoded, isSetting: isTight || /^[:：]/.test(sign) };
    }
    case "pair":
      return literal;
    case "element":
      if (!text.startsWith("</", value.end) || text[value.start] === "<") return undefined;
      return /(?<!\?)<(?:[\w-]+:)?$|=["']$/.test(before) ? literal : undefined;
    case "list":
      return isOption || (isShouted && /\w\(\s*["']$/.test(before)) ? literal : loose;
    case "column":
    case "sentence":
      if (isOption || /(?:^|\s)(?:ENV|ARG|setenv|SetEnv|setx|set -\w+|env|(?:config|configure) set)\s+$/.test(before)) {
        return text[value.start] === "-" ? undefined : literal;
      }
      // A .netrc, whose words may be on one line or on one each.
      if (/(?:^|\s)(?:machine|login)[ \t][^\n]*\n?[ \t]*$/.test(before)) return literal;
      // A verb, or a word before the next key.
      return /^pass$/i.test(name) || /^[\w-]{1,40}=/.test(text.slice(value.start, value.end)) ? undefined : loose;
    default:
      return undefined;
  }
}

// oxlint-disable-next-line no-control-regex -- the sequences that programs put around words to colour them
const colour = /\u001b\[[0-9;]{0,8}m/g;

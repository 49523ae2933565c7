import { isSecretValue, type ValueSetting } from "./judge-value.ts";
import { judgeKey, type SecretKey } from "./secret-keys.ts";

export interface ValueMask {
  text(text: string): string;
  hashOf(secret: string): string;
}

const maxDepth = 64;
/** Objects and lists; one that holds itself twice would never end. */
const maxNodes = 200_000;
const tooDeep = "[MASKED:too-deep:000000]";
const quoted: ValueSetting = { isQuoted: true, isLiteral: true, hasOwnLine: false, isSetting: true, isLoose: false };

/** Masks the strings of a JSON value. A value without secrets is given back itself, so nothing is copied for most calls. */
export function maskValue<Value>(value: Value, mask: ValueMask): Value {
  return walk(value, mask, { key: undefined, depth: 0, budget: { left: maxNodes } }) as Value;
}

interface Place {
  readonly key: SecretKey | undefined;
  readonly depth: number;
  readonly budget: { left: number };
}

function walk(value: unknown, mask: ValueMask, { key, depth, budget }: Place): unknown {
  if (typeof value === "string") return maskString(value, mask, key);
  if (typeof value !== "object" || value === null) return value;
  // Nobody reads what is nested deeper, or goes round in circles, and what was not looked at must not be written.
  if (depth >= maxDepth || (budget.left -= 1) < 0) return tooDeep;
  if (Array.isArray(value)) return walkArray(value, mask, { key, depth: depth + 1, budget });
  if (ArrayBuffer.isView(value) || value instanceof Date) return value;
  return walkObject(value as Record<string, unknown>, mask, { key: undefined, depth: depth + 1, budget });
}

function walkArray(values: readonly unknown[], mask: ValueMask, { key, depth, budget }: Place): readonly unknown[] {
  let copy: unknown[] | undefined;
  values.forEach((each, at) => {
    const masked = walk(each, mask, { key: key ?? keyBefore(values[at - 1]), depth, budget });
    if (masked !== each) (copy ??= [...values])[at] = masked;
  });
  return copy ?? values;
}

/** `["--password", "…"]`: the words of a command. */
function keyBefore(word: unknown): SecretKey | undefined {
  return typeof word === "string" && word.length < 64 && /^--?[A-Za-z][\w-]*$/.test(word) ? judgeKey(word) : undefined;
}

function walkObject(object: Record<string, unknown>, mask: ValueMask, place: Place): Record<string, unknown> {
  let copy: Record<string, unknown> | undefined;
  const named = "value" in object || "Value" in object ? nameOf(object) : undefined;
  for (const key of Object.keys(object)) {
    const value = object[key];
    if (typeof value !== "string" && (typeof value !== "object" || value === null)) continue;
    const said = named !== undefined && isValueKey(key) ? named : key;
    const masked = walk(value, mask, { ...place, key: said.length < maxName ? judgeKey(said) : undefined });
    if (masked !== value) (copy ??= { ...object })[key] = masked;
  }
  return copy ?? object;
}

const maxName = 128;

function isValueKey(key: string): boolean {
  return key === "value" || key === "Value";
}

/** `{"name": "DB_PASSWORD", "value": "…"}`. */
function nameOf(object: Record<string, unknown>): string | undefined {
  const name = object["name"] ?? object["key"] ?? object["Name"] ?? object["Key"];
  return typeof name === "string" ? name : undefined;
}

function maskString(value: string, mask: ValueMask, key: SecretKey | undefined): string {
  const masked = mask.text(value);
  if (key === undefined || masked !== value || !isSecretValue(value, key, quoted)) return masked;
  return `[MASKED:${key.family}:${mask.hashOf(value)}]`;
}

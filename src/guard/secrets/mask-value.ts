import type { Execution } from "../../core/call.ts";
import type { Permission } from "../../core/permission.ts";
import type { ToolResult } from "../../core/tool.ts";
import type { TextKind } from "./find-secrets.ts";
import { isSecretValue, type ValueSetting } from "./judge-value.ts";
import { judgeKey, type SecretKey } from "./secret-keys.ts";

export interface ValueMask {
  text(text: string, kind: TextKind): string;
  /** The name of a field. */
  name(name: string): string;
  hashOf(secret: string): string;
  /** Told of every secret that only its key gave away. */
  note(secret: string, family: string): void;
}

const maxDepth = 64;
/** Objects and lists; one that holds itself twice would never end. */
const maxNodes = 200_000;
const tooDeep = "[MASKED:too-deep:000000]";
const quoted: ValueSetting = { isQuoted: true, isLiteral: true, hasOwnLine: false, isSetting: true, isLoose: false };

/** Masks the strings of a JSON value. A value without secrets is given back itself, so nothing is copied for most calls. */
export function maskValue<Value>(value: Value, mask: ValueMask): Value {
  return walk(value, mask, { key: undefined, kind: "text", depth: 0, budget: { left: maxNodes } }) as Value;
}

interface Place {
  readonly key: SecretKey | undefined;
  readonly kind: TextKind;
  readonly depth: number;
  readonly budget: { left: number };
}

function walk(value: unknown, mask: ValueMask, { key, kind, depth, budget }: Place): unknown {
  if (typeof value === "string") return maskString(value, mask, { key, kind });
  if (typeof value !== "object" || value === null) return value;
  // Nobody reads what is nested deeper, or goes round in circles, and what was not looked at must not be written.
  if (depth >= maxDepth || (budget.left -= 1) < 0) return tooDeep;
  if (Array.isArray(value)) return walkArray(value, mask, { key, kind, depth: depth + 1, budget });
  if (ArrayBuffer.isView(value) || value instanceof Date) return value;
  return walkObject(value as Record<string, unknown>, mask, { key: undefined, kind, depth: depth + 1, budget });
}

function walkArray(values: readonly unknown[], mask: ValueMask, place: Place): readonly unknown[] {
  let copy: unknown[] | undefined;
  values.forEach((each, at) => {
    const masked = walk(each, mask, { ...place, key: place.key ?? keyBefore(values[at - 1]) });
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
  let renamed: Map<string, string> | undefined;
  const named = "value" in object || "Value" in object ? nameOf(object) : undefined;
  for (const key of Object.keys(object)) {
    const value = object[key];
    if (key.length >= leastName) {
      const name = mask.name(key);
      if (name !== key) (renamed ??= new Map()).set(key, name);
    }
    if (typeof value !== "string" && (typeof value !== "object" || value === null)) continue;
    const said = named !== undefined && isValueKey(key) ? named : key;
    const masked = walk(value, mask, {
      ...place,
      key: said.length < maxName ? judgeKey(said) : undefined,
      kind: commandNames.has(key) ? "command" : "text",
    });
    if (masked !== value) (copy ??= { ...object })[key] = masked;
  }
  return renamed === undefined ? (copy ?? object) : rename(copy ?? object, renamed);
}

/** Where calls and approvals hold what the shell is to run. */
const commandNames: ReadonlySet<string> = new Set(
  "command cmd script argv args detail rule rules reasons dangers".split(" "),
);

/** Two names that look alike now are still two fields. */
function rename(object: Record<string, unknown>, names: ReadonlyMap<string, string>): Record<string, unknown> {
  const taken = new Set<string>();
  return Object.fromEntries(
    Object.entries(object).map(([key, value]) => {
      let name = names.get(key) ?? key;
      while (taken.has(name)) name += "'";
      taken.add(name);
      return [name, value];
    }),
  );
}

/** Nothing shorter is found by any rule. */
const leastName = 8;
const maxName = 128;

function isValueKey(key: string): boolean {
  return key === "value" || key === "Value";
}

/** `{"name": "DB_PASSWORD", "value": "…"}`. */
function nameOf(object: Record<string, unknown>): string | undefined {
  const name = object["name"] ?? object["key"] ?? object["Name"] ?? object["Key"];
  return typeof name === "string" ? name : undefined;
}

function maskString(value: string, mask: ValueMask, { key, kind }: Pick<Place, "key" | "kind">): string {
  const masked = mask.text(value, kind);
  if (key === undefined || masked !== value || !isSecretValue(value, key, quoted)) return masked;
  mask.note(value, key.family);
  return `[MASKED:${key.family}:${mask.hashOf(value)}]`;
}

/** The record without secrets; the very same object when there are none. */
export function maskExecution(execution: Execution, mask: ValueMask): Execution {
  const changed: { -readonly [Key in keyof Execution]?: Execution[Key] } = {};
  let isChanged = false;
  function change<Key extends keyof Execution>(key: Key, masked: Execution[Key]): void {
    if (masked === execution[key]) return;
    changed[key] = masked;
    isChanged = true;
  }
  // The name of a tool holds nothing; what was asked for instead of one may.
  if (execution.toolId === null) change("toolName", mask.text(execution.toolName, "text"));
  if (execution.conversationId !== null) change("conversationId", mask.text(execution.conversationId, "text"));
  change("toolInput", maskValue(execution.toolInput, mask));
  if (execution.result !== null) change("result", maskResult(execution.result, mask));
  if (execution.error !== null) change("error", mask.text(execution.error, "text"));
  if (execution.note !== null) change("note", mask.text(execution.note, "text"));
  if (execution.killed.length > 0) change("killed", maskValue(execution.killed, mask));
  if (execution.survivors.length > 0) change("survivors", maskValue(execution.survivors, mask));
  if (execution.permission !== null) change("permission", maskPermission(execution.permission, mask));
  return isChanged ? { ...execution, ...changed } : execution;
}

/** Every call passes here: most results are one text, and are not walked through. */
function maskResult(result: ToolResult, mask: ValueMask): ToolResult {
  const isPlain = result.ok && result.data === undefined && result.files === undefined;
  if (!isPlain || typeof result.output !== "string") return maskValue(result, mask);
  const output = mask.text(result.output, "text");
  return output === result.output ? result : { ...result, output };
}

function maskPermission(permission: Permission, mask: ValueMask): Permission {
  const { rule, who, reasons, dangers } = permission;
  const saysNothing = rule === null && who === null && reasons.length === 0 && dangers.length === 0;
  return saysNothing ? permission : maskValue(permission, mask);
}

import { cutMiddle } from "../core/text.ts";
import { messageOf } from "../core/errors.ts";

/** A longer text is cut in the middle. */
export const longestText = 65_536;
/** What one value may cost in all, in characters; what comes after that is left out and counted. */
const valueBudget = 262_144;
const deepest = 200;

/**
 * A copy that JSON can carry, as near to the value as that allows, and of bounded size. Never throws: what JSON has no
 * form for (a cycle, a function, a getter that throws) becomes a text in brackets that says what was there.
 */
export function toPortable(value: unknown): unknown {
  return copyValue(value, { left: valueBudget, path: [] }) ?? null;
}

interface Copying {
  left: number;
  /** The objects we are inside of: meeting one of them again is a cycle. */
  readonly path: object[];
}

function copyValue(value: unknown, copying: Copying): unknown {
  copying.left -= 4;
  switch (typeof value) {
    case "string":
      return copyText(value, copying);
    case "number":
      if (!Number.isFinite(value)) return String(value);
      return value === 0 ? 0 : value; // JSON has no -0
    case "bigint":
      return copyText(String(value), copying);
    case "boolean":
    case "undefined":
      return value;
    case "function":
      return "[function]";
    case "symbol":
      return "[symbol]";
    case "object":
      return value === null ? null : copyObject(value, copying);
  }
}

function copyText(text: string, copying: Copying): string {
  const kept = text.length <= 100 ? text : cutMiddle(text, Math.max(100, Math.min(longestText, copying.left)));
  copying.left -= kept.length;
  return kept;
}

function copyObject(value: object, copying: Copying): unknown {
  const { path } = copying;
  if (path.includes(value)) return "[circular]";
  if (path.length >= deepest) return "[nested too deep]";
  path.push(value);
  try {
    return copyByKind(value, copying);
  } catch (thrown) {
    return describeUnreadable(thrown);
  } finally {
    path.pop();
  }
}

function copyByKind(value: object, copying: Copying): unknown {
  if (Array.isArray(value)) return copyItems(value, copying);
  const prototype: unknown = Object.getPrototypeOf(value);
  const isPlain = prototype === Object.prototype || prototype === null;
  if (isPlain && !("toJSON" in value)) return copyEntries(value, copying);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "[invalid date]" : value.toISOString();
  if (value instanceof Map || value instanceof Set) return copyItems([...value], copying);
  if (value instanceof Error) {
    return copyEntries(Object.assign({ name: value.name, message: value.message }, value), copying);
  }
  if (value instanceof Number || value instanceof String || value instanceof Boolean) {
    return copyValue(value.valueOf(), copying);
  }
  if (value instanceof RegExp) return copyText(String(value), copying);
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return `[${value.byteLength} bytes]`;
  const json = "toJSON" in value && typeof value.toJSON === "function" ? (value.toJSON("") as unknown) : value;
  return json === value ? copyEntries(value, copying) : copyValue(json, copying);
}

function copyItems(items: readonly unknown[], copying: Copying): unknown[] {
  const copy: unknown[] = [];
  for (let index = 0; index < items.length; index++) {
    if (copying.left <= 0) {
      copy.push(`[${items.length - index} more items cut]`);
      break;
    }
    copy.push(copyValue(items[index], copying) ?? null);
  }
  return copy;
}

function copyEntries(value: object, copying: Copying): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  const keys = Object.keys(value);
  for (let index = 0; index < keys.length; index++) {
    if (copying.left <= 0) {
      copy["…"] = `[${keys.length - index} more keys cut]`;
      break;
    }
    const key = keys[index]!;
    const inner = copyKey(value, key, copying);
    if (inner === undefined) continue;
    copying.left -= key.length;
    const name = cutMiddle(key, 1000);
    // Assigning to `__proto__` would change the copy's prototype instead.
    if (name === "__proto__") Object.defineProperty(copy, name, { value: inner, enumerable: true });
    else copy[name] = inner;
  }
  return copy;
}

function copyKey(value: object, key: string, copying: Copying): unknown {
  try {
    return copyValue((value as Record<string, unknown>)[key], copying);
  } catch (thrown) {
    return describeUnreadable(thrown);
  }
}

function describeUnreadable(thrown: unknown): string {
  try {
    return `[unreadable: ${cutMiddle(messageOf(thrown), 200)}]`;
  } catch {
    return "[unreadable]"; // Even what was thrown can throw.
  }
}

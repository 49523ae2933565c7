import { cutMiddle } from "../../core/text.ts";

const deepest = 40;
const longestText = 32_768;

interface Cleaning {
  left: number;
  readonly mask: (text: string) => string;
  readonly path: object[];
}

/**
 * A copy that JSON can carry, masked and of bounded size. Never throws: what JSON has no form for becomes a text in
 * brackets. Masked before it is cut: half of a secret is not recognised any more.
 */
export function cleanValue(value: unknown, mask: (text: string) => string, budget = 65_536): unknown {
  return clean(value, { left: budget, mask, path: [] }) ?? null;
}

function clean(value: unknown, cleaning: Cleaning): unknown {
  cleaning.left -= 4;
  switch (typeof value) {
    case "string":
      return cleanText(value, cleaning);
    case "number":
      return Number.isFinite(value) ? value : String(value);
    case "bigint":
      return cleanText(String(value), cleaning);
    case "boolean":
    case "undefined":
      return value;
    case "function":
    case "symbol":
      return `[${typeof value}]`;
    case "object":
      return value === null ? null : cleanObject(value, cleaning);
  }
}

function cleanText(text: string, cleaning: Cleaning): string {
  const kept = cutMiddle(maskText(text, cleaning.mask), Math.max(100, Math.min(longestText, cleaning.left)));
  cleaning.left -= kept.length;
  return kept;
}

/** A mask that fails must not let through what it should have hidden. */
function maskText(text: string, mask: (text: string) => string): string {
  try {
    return mask(text);
  } catch {
    return "[left out: it could not be masked]";
  }
}

function cleanObject(value: object, cleaning: Cleaning): unknown {
  const { path } = cleaning;
  if (path.includes(value)) return "[circular]";
  if (path.length >= deepest) return "[nested too deep]";
  path.push(value);
  try {
    if (Array.isArray(value)) return cleanItems(value, cleaning);
    if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
    const json = "toJSON" in value && typeof value.toJSON === "function" ? (value.toJSON("") as unknown) : value;
    return json === value ? cleanEntries(value, cleaning) : clean(json, cleaning);
  } catch {
    return "[unreadable]";
  } finally {
    path.pop();
  }
}

function cleanItems(items: readonly unknown[], cleaning: Cleaning): unknown[] {
  const copy: unknown[] = [];
  for (let index = 0; index < items.length; index++) {
    if (cleaning.left <= 0) {
      copy.push(`[${items.length - index} more items cut]`);
      break;
    }
    copy.push(clean(items[index], cleaning) ?? null);
  }
  return copy;
}

function cleanEntries(value: object, cleaning: Cleaning): Record<string, unknown> {
  const copy: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  const keys = Object.keys(value);
  for (let index = 0; index < keys.length; index++) {
    if (cleaning.left <= 0) {
      copy["…"] = `[${keys.length - index} more keys cut]`;
      break;
    }
    const key = keys[index]!;
    const inner = clean((value as Record<string, unknown>)[key], cleaning);
    if (inner !== undefined) copy[cleanText(key, cleaning)] = inner;
  }
  return copy;
}

/** One line of a CLI's output as an object; whatever is in it is the CLI's. */
export type AgentEvent = Readonly<Record<string, unknown>>;

/** Undefined when the line is no JSON object: a warning, half an event, garbage. */
export function readEvent(line: string): AgentEvent | undefined {
  if (!/^\s*\{/.test(line)) return undefined;
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** What lies at the path; undefined when there is nothing, or when something on the way is not an object. */
export function valueAt(value: unknown, ...path: readonly string[]): unknown {
  let found = value;
  for (const key of path) {
    if (!isRecord(found) || !Object.hasOwn(found, key)) return undefined;
    found = found[key];
  }
  return found;
}

/** Like `valueAt`, for a text that says something. */
export function textAt(value: unknown, ...path: readonly string[]): string | undefined {
  const found = valueAt(value, ...path);
  return typeof found === "string" && found !== "" ? found : undefined;
}

export function listAt(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = valueAt(value, ...path);
  return Array.isArray(found) ? found : [];
}

function isRecord(value: unknown): value is AgentEvent {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

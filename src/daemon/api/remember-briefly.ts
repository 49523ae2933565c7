import { systemClock } from "../../core/clock.ts";

interface Remembered<Value> {
  readonly at: number;
  readonly value: Promise<Value>;
}

/** Work that many may ask for at once is done once in that time, for each subject and key; one that failed is tried again. */
export function rememberBriefly<Subject extends object, Value>(
  goodForMs: number,
  work: (subject: Subject, key: string) => Promise<Value>,
): (subject: Subject, key: string) => Promise<Value> {
  const bySubject = new WeakMap<Subject, Map<string, Remembered<Value>>>();
  return (subject, key) => {
    const known = bySubject.get(subject) ?? new Map<string, Remembered<Value>>();
    bySubject.set(subject, known);
    const now = systemClock.monotonic();
    for (const [name, { at }] of known) if (now - at >= goodForMs) known.delete(name);
    const remembered = known.get(key);
    if (remembered) return remembered.value;
    const value = work(subject, key);
    known.set(key, { at: now, value });
    value.catch(() => known.delete(key));
    return value;
  };
}

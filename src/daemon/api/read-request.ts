import { systemClock } from "../../core/clock.ts";
import { nearest } from "../../core/text.ts";
import { ApiError } from "../server/route.ts";

/** Refuses what it does not know: a word that was mistyped must not quietly mean everything. */
export function checkQuery(query: URLSearchParams, known: readonly string[]): void {
  for (const name of query.keys()) {
    if (!known.includes(name)) throw badRequest(`${quote(name)} is no parameter here. ${suggest(name, known)}`);
    if (query.getAll(name).length > 1) throw badRequest(`${quote(name)} is given more than once; give it once.`);
  }
}

export function readLimit(query: URLSearchParams, { standard, most }: { standard: number; most: number }): number {
  return readCount(query, "limit", { standard, from: 1, to: most });
}

export function readCount(
  query: URLSearchParams,
  name: string,
  { standard, from, to }: { readonly standard: number; readonly from: number; readonly to: number },
): number {
  const given = query.get(name);
  if (given === null) return standard;
  const value = /^-?\d{1,15}$/.test(given) ? Number(given) : Number.NaN;
  if (value >= from && value <= to) return value;
  const range = to === Number.MAX_SAFE_INTEGER ? `from ${from} on` : `from ${from} to ${to}`;
  throw badRequest(`${name} takes a whole number ${range}, got ${quote(given)}.`);
}

/** `a,b`; undefined when it is left out. */
export function readWords<Word extends string>(
  query: URLSearchParams,
  name: string,
  known: readonly Word[],
): Word[] | undefined {
  const given = query.get(name);
  if (given === null || given === "") return undefined;
  return given.split(",").map((word) => {
    const found = known.find((each) => each === word.trim().toLowerCase());
    if (found !== undefined) return found;
    throw badRequest(`${quote(word)} is no ${name} here. ${suggest(word, known)}`);
  });
}

/** Undefined when it is left out or empty. */
export function readParameter(query: URLSearchParams, name: string): string | undefined {
  const given = query.get(name);
  if (given === null || given === "") return undefined;
  if (given.length <= longestParameter) return given;
  throw badRequest(`${name} has at most ${longestParameter} characters, this one has ${given.length}.`);
}

const longestParameter = 1000;

export type Body = Readonly<Record<string, unknown>>;

/** An object with no other keys than these. */
export function readBody(body: unknown, known: readonly string[]): Body {
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    throw badRequest(
      `Expected a JSON object${known.length > 0 ? ` with ${known.join(", ")}` : ""}, got ${nameOf(body)}.`,
    );
  }
  for (const key of Object.keys(body)) {
    if (!known.includes(key)) throw badRequest(`${quote(key)} means nothing here. ${suggest(key, known)}`);
  }
  return body as Body;
}

/** Undefined when it is left out or null. */
export function optionalText(body: Body, key: string): string | undefined {
  const value = body[key];
  if (value === undefined || value === null) return undefined;
  if (typeof value === "string") return value;
  throw badRequest(`${key} must be a text, got ${nameOf(value)}.`);
}

export function requiredText(body: Body, key: string): string {
  const text = optionalText(body, key);
  if (text !== undefined && text.trim() !== "") return text;
  throw badRequest(`${key} is missing: expected a text that is not empty.`);
}

export function optionalFlag(body: Body, key: string): boolean | undefined {
  const value = body[key] ?? undefined;
  if (value === undefined || typeof value === "boolean") return value;
  throw badRequest(`${key} must be true or false, got ${nameOf(value)}.`);
}

export function optionalNumber(
  body: Body,
  key: string,
  { from, to }: { readonly from: number; readonly to: number },
): number | undefined {
  const value = body[key];
  if (value === undefined || value === null) return undefined;
  if (typeof value === "number" && value >= from && value <= to) return value;
  throw badRequest(`${key} must be a number from ${from} to ${to}, got ${nameOf(value)}.`);
}

export function optionalChoice<Choice extends string>(
  body: Body,
  key: string,
  choices: readonly Choice[],
): Choice | undefined {
  const value = body[key];
  if (value === undefined || value === null) return undefined;
  const found = choices.find((choice) => choice === value);
  if (found !== undefined) return found;
  throw badRequest(`${key} must be one of ${choices.join(", ")}; got ${nameOf(value)}.`);
}

export function optionalList<Item>(
  body: Body,
  key: string,
  { isItem, items }: { readonly isItem: (value: unknown) => value is Item; readonly items: string },
): readonly Item[] | undefined {
  const value = body[key];
  if (value === undefined || value === null) return undefined;
  if (Array.isArray(value) && value.every(isItem)) return value;
  throw badRequest(`${key} must be a list of ${items}, got ${nameOf(value)}.`);
}

export function isText(value: unknown): value is string {
  return typeof value === "string";
}

export function badRequest(sentence: string): ApiError {
  return new ApiError("BAD_REQUEST", sentence);
}

export function notFound(sentence: string): ApiError {
  return new ApiError("NOT_FOUND", sentence);
}

function suggest(given: string, known: readonly string[]): string {
  const [meant] = nearest(given, known, 1);
  if (meant !== undefined) return `Did you mean ${meant}?`;
  return known.length === 0 ? "Nothing is expected." : `There are: ${known.join(", ")}.`;
}

/** What came, short enough for a sentence. */
function nameOf(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return "an object";
  return quote(value);
}

function quote(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

/** A list as the API gives it. */
export interface Page<Item = unknown> {
  readonly items: readonly Item[];
  /** The way to the next page; null when this is the last. */
  readonly next: string | null;
}

export function wholePage(items: readonly unknown[]): Page {
  return { items, next: null };
}

/** `limit` were asked for: fewer mean that there are no more. */
export function pageOf<Item extends { readonly id: string }, Shown>(
  found: readonly Item[],
  limit: number,
  show: (item: Item) => Shown,
): Page<Shown> {
  return { items: found.map(show), next: found.length < limit ? null : (found.at(-1)?.id ?? null) };
}

/** What it resolves to; undefined when that takes longer. It goes on all the same. */
export async function waitAtMost<Value>(work: Promise<Value>, patienceMs: number): Promise<Value | undefined> {
  const { promise: over, resolve } = Promise.withResolvers<undefined>();
  const stop = systemClock.after(patienceMs, () => resolve(undefined));
  try {
    return await Promise.race([work, over]);
  } finally {
    stop();
  }
}

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

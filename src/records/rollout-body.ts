import { messageOf, RuntimeError } from "../core/errors.ts";
import type { RolloutEvent, ToolFeedback } from "../core/stores.ts";
import { fromWire, toWire } from "../core/wire.ts";
import { boundText } from "./bound-call.ts";
import { toPortable } from "./portable-value.ts";

type NewFeedback = Omit<ToolFeedback, "count" | "firstAt">;
type NewEvent = Omit<RolloutEvent, "id">;

/** What both stores keep of an event. */
export interface EventBody {
  readonly body: string;
  /** Apart from the rest: an event whose figures can't be read is still an event. */
  readonly figures: string;
}

/** What both stores keep of a failure. */
export interface FeedbackBody {
  readonly count: number;
  readonly firstAt: number;
  readonly lastAt: number;
  readonly body: string;
}

/** As its owner wrote it: the keys are not ours to rename. Throws when it is no JSON. */
export function encodeDocument(name: string, document: unknown): string {
  return encode(`the document "${name}"`, () => document);
}

/** Undefined for what is no JSON: a damaged row must not take down the calls that ask for it. */
export function decodeDocument(body: unknown): unknown {
  if (typeof body !== "string") return undefined;
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

export function encodeEvent({ figures, ...event }: NewEvent): EventBody {
  return {
    body: encode("an event of a rollout", () => toWire({ ...event, reason: boundText(event.reason) })),
    figures: encode("the figures of an event", () => toWire(figures ?? null)),
  };
}

/** Undefined when it can't be read. */
export function decodeEvent(
  id: number,
  { body, figures }: { [Key in keyof EventBody]: unknown },
): RolloutEvent | undefined {
  const event = decodeWire(body) as NewEvent | undefined;
  return typeof event?.reason === "string" ? { ...event, id, figures: decodeWire(figures) ?? null } : undefined;
}

/** Bounded: what a tool was given and what it printed may be of any size. */
export function encodeFeedback(feedback: NewFeedback): string {
  const { lastAt: _, input, error, errorType, log, ...rest } = feedback;
  return JSON.stringify(
    toWire({
      ...rest,
      input: toPortable(input),
      error: boundText(error),
      errorType: errorType && boundText(errorType),
      log: boundText(log),
    }),
  );
}

/** Undefined when it can't be read. */
export function decodeFeedback({ body, ...row }: FeedbackBody): ToolFeedback | undefined {
  const feedback = decodeWire(body) as ToolFeedback | undefined;
  return typeof feedback?.signature === "string" ? { ...feedback, ...row } : undefined;
}

function encode(what: string, make: () => unknown): string {
  try {
    const text = JSON.stringify(make()) as string | undefined;
    if (text !== undefined) return text;
  } catch (thrown) {
    throw notJson(what, thrown);
  }
  throw notJson(what, new TypeError("it is undefined or a function"));
}

function notJson(what: string, cause: unknown): RuntimeError {
  const [why] = messageOf(cause).split("\n", 1);
  return new RuntimeError(
    "WIRE_INVALID",
    `Expected ${what} as plain JSON, got a value that has no such form (${why}): give lists, plain objects, texts and finite numbers.`,
    { cause },
  );
}

function decodeWire(body: unknown): unknown {
  try {
    return fromWire(decodeDocument(body));
  } catch {
    return undefined; // A text in the place of a time.
  }
}

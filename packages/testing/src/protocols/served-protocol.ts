import type { Message } from "../../../../src/core/message.ts";
import type { ModelFailure, ModelRequest } from "../../../../src/core/model.ts";
import type { FinishedStep, Step } from "../play-script.ts";

export type ProtocolName = "anthropic" | "openai_chat" | "openai_responses" | "gemini";

/** One vendor's way of talking: reads its requests, writes its replies. Knows nothing of sockets. */
export interface Protocol {
  readonly name: ProtocolName;
  /** Throws a RequestProblem on what the vendor would not take. `path` is the URL's, without its query. */
  read(body: JsonRecord, path: string): ReadRequest;
  /** Called with each step of a streamed reply, gives what to send for it. */
  createWriter(reply: ReplyFacts): (step: Step) => string;
  /** The body of a reply that is not streamed. */
  whole(finished: FinishedStep, reply: ReplyFacts): unknown;
  statusOf(failure: ModelFailure): number;
  errorBody(failure: ModelFailure, status: number): unknown;
}

export interface ReadRequest extends Pick<ModelRequest, "system" | "tools" | "toolChoice" | "maxOutputTokens"> {
  readonly model: string;
  readonly isStreamed: boolean;
  readonly messages: readonly Message[];
}

export interface ReplyFacts {
  /** Unique on this server; protocols put their prefix in front. */
  readonly id: string;
  readonly model: string;
  readonly createdAt: number;
  readonly body: JsonRecord;
}

export type JsonRecord = Readonly<Record<string, unknown>>;

export class RequestProblem extends Error {
  override readonly name = "RequestProblem";
}

export function recordOf(value: unknown): JsonRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonRecord) : {};
}

export function recordsOf(value: unknown): JsonRecord[] {
  return Array.isArray(value) ? value.map(recordOf) : [];
}

export function stringOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

export function numberOf(value: unknown): number | null {
  return typeof value === "number" ? value : null;
}

/** A text, or the texts of a list of blocks. */
export function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  return recordsOf(content)
    .map(({ text }) => stringOf(text))
    .join("\n");
}

/** The value of arguments; the text itself where it is not JSON. */
export function valueOf(inputText: string): unknown {
  try {
    return JSON.parse(inputText);
  } catch {
    return inputText;
  }
}

/** One server-sent event. */
export function frame(data: unknown, event?: string): string {
  return `${event === undefined ? "" : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`;
}

export function signatureOf(part: { readonly opaque?: { readonly data: unknown } }): string {
  return stringOf(recordOf(part.opaque?.data)["signature"]);
}

/** Nothing is said of it: the connection ends. */
export function isDropped({ kind }: ModelFailure): boolean {
  return kind === "cut" || kind === "unreachable";
}

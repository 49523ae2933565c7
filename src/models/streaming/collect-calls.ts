import { randomUUID } from "node:crypto";
import type { LanguageModelV4StreamPart, SharedV4ProviderMetadata } from "@ai-sdk/provider";
import type { ModelEvent, StopReason } from "../../core/model.ts";

/**
 * One call of a reply, from its name to its arguments.
 * - `growing`: arguments still come
 * - `empty`: it ended without arguments; whether the model meant that shows with what comes next
 * - `complete`: `inputText` stands
 */
export interface PendingCall {
  readonly type: "call";
  readonly callId: string;
  readonly tool: string;
  inputText: string;
  metadata: SharedV4ProviderMetadata | undefined;
  state: "growing" | "empty" | "complete";
  isTold: boolean;
  readonly watch: JsonWatch | null;
}

type Started = Extract<LanguageModelV4StreamPart, { type: "tool-input-start" }>;
type Grown = Extract<LanguageModelV4StreamPart, { type: "tool-input-delta" }>;
type Ended = Extract<LanguageModelV4StreamPart, { type: "tool-call" }>;

/** The calls of one reply. Each is told once, in the order in which the reply named them. */
export interface CallCollector {
  start(part: Started): ModelEvent[];
  grow(part: Grown): ModelEvent[];
  end(part: Ended): ModelEvent[];
  /** The reply goes on behind a call without arguments: it has none. */
  closeEmpty(): ModelEvent[];
  closeAll(stop: StopReason): ModelEvent[];
}

interface CallOptions {
  readonly usedCallIds: ReadonlySet<string>;
  readonly endsCallsLate: boolean;
}

export function collectCalls(options: CallOptions, add: (call: PendingCall) => void): CallCollector {
  const calls: PendingCall[] = [];
  const byWireId = new Map<string, PendingCall>();
  const taken = new Set(options.usedCallIds);

  function open(wireId: string, tool: string): PendingCall {
    const call: PendingCall = {
      type: "call",
      callId: uniqueId(wireId, taken),
      tool,
      inputText: "",
      metadata: undefined,
      state: "growing",
      isTold: false,
      watch: options.endsCallsLate ? watchJson() : null,
    };
    calls.push(call);
    byWireId.set(wireId, call);
    add(call);
    return call;
  }

  function tellComplete(): ModelEvent[] {
    const events: ModelEvent[] = [];
    for (const call of calls) {
      if (call.state !== "complete") break;
      if (call.isTold) continue;
      call.isTold = true;
      const { callId, tool, inputText } = call;
      events.push({ type: "call", call: { type: "call", callId, tool, inputText } });
    }
    return events;
  }

  return {
    start(part) {
      const call = open(part.id, part.toolName);
      call.metadata = part.providerMetadata;
      return [{ type: "call_announced", callId: call.callId, tool: call.tool }];
    },
    grow(part) {
      const call = byWireId.get(part.id);
      // What follows a complete object can't change it any more: it was told.
      if (!call || call.state !== "growing" || part.delta === "") return [];
      call.inputText += part.delta;
      const events: ModelEvent[] = [{ type: "call_input", callId: call.callId, text: part.delta }];
      if (!call.watch?.isCompletedBy(part.delta)) return events;
      call.state = "complete";
      return [...events, ...tellComplete()];
    },
    end(part) {
      const known = byWireId.get(part.toolCallId);
      // With a watch it was told long ago; without one, an id that ended already belongs to another call.
      const isKnown = known && (known.watch || known.state === "growing");
      const call = isKnown ? known : open(part.toolCallId, part.toolName);
      if (part.providerMetadata) call.metadata = part.providerMetadata;
      if (call.state === "growing") settle(call, part.input);
      const announced: ModelEvent[] = [{ type: "call_announced", callId: call.callId, tool: call.tool }];
      return [...(isKnown ? [] : announced), ...tellComplete()];
    },
    closeEmpty() {
      const empty = calls.filter((call) => call.state === "empty");
      for (const call of empty) complete(call, "{}");
      return empty.length > 0 ? tellComplete() : [];
    },
    closeAll(stop) {
      for (const call of calls) {
        if (call.state === "complete") continue;
        // A reply that ran out of room may have been about to write arguments: none are made up.
        const isCut = stop === "length" && call === calls.at(-1);
        complete(call, isBlank(call.inputText) && !isCut ? "{}" : call.inputText);
      }
      return tellComplete();
    },
  };
}

/** `input` is the whole as the package has it, which turns no arguments into `{}`. */
function settle(call: PendingCall, input: string): void {
  if (isBlank(call.inputText) && (isBlank(input) || input.trim() === "{}")) call.state = "empty";
  else complete(call, isBlank(input) ? call.inputText : input);
}

function complete(call: PendingCall, inputText: string): void {
  call.inputText = inputText;
  call.state = "complete";
}

function isBlank(text: string): boolean {
  return text.trim() === "";
}

function uniqueId(wireId: string, taken: Set<string>): string {
  const id = wireId.trim() === "" || taken.has(wireId) ? `call_${randomUUID().replaceAll("-", "")}` : wireId;
  taken.add(id);
  return id;
}

/** Looks at a text as it grows: has it become one whole JSON object, and nothing else? Reads each character once. */
interface JsonWatch {
  /** True once: when this piece completes the object. Never when something else than white space follows in the same piece. */
  isCompletedBy(piece: string): boolean;
}

function watchJson(): JsonWatch {
  let text = "";
  let depth = 0;
  let inString = false;
  let isEscaped = false;
  let isOver = false;

  function endOfObject(piece: string): number {
    for (let at = 0; at < piece.length; at++) {
      const character = piece[at]!;
      if (inString) {
        if (isEscaped) isEscaped = false;
        else if (character === "\\") isEscaped = true;
        else if (character === '"') inString = false;
      } else if (character === '"') inString = true;
      else if (character === "{" || character === "[") depth++;
      else if ((character === "}" || character === "]") && --depth <= 0) return at + 1;
    }
    return -1;
  }

  return {
    isCompletedBy(piece) {
      if (isOver) return false;
      // Only until it begins: looking at a text that grows by letters copies it for each of them.
      const begins = depth === 0 ? /\S/.exec(piece)?.[0] : "{";
      text += piece;
      if (begins !== undefined && begins !== "{") {
        isOver = true;
        return false;
      }
      const end = endOfObject(piece);
      if (end === -1) return false;
      isOver = true;
      return piece.slice(end).trim() === "" && isJson(text);
    },
  };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

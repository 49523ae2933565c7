import type { LanguageModelV4StreamPart, SharedV4ProviderMetadata } from "@ai-sdk/provider";
import type { AssistantPart, Opaque } from "../../core/message.ts";
import type { ModelEvent, StopReason } from "../../core/model.ts";
import { collectCalls, type PendingCall } from "./collect-calls.ts";

export interface ReplyOptions {
  readonly provider: string;
  readonly modelName: string;
  /** Ids of calls that the conversation already has: a reply never brings one of them again. */
  readonly usedCallIds: ReadonlySet<string>;
  /** The protocol says only at the end of the reply that a call's arguments are complete. */
  readonly endsCallsLate: boolean;
}

/** Gathers one reply from its pieces. Each piece gives the events it stands for; the whole is there at the end. */
export interface ReplyCollector {
  take(part: LanguageModelV4StreamPart): ModelEvent[];
  /** What was still open is closed; then the whole reply. */
  finish(stop: StopReason): { readonly events: ModelEvent[]; readonly parts: AssistantPart[] };
}

interface Block {
  readonly type: "text" | "thinking";
  text: string;
  metadata: Metadata | undefined;
}

type Metadata = SharedV4ProviderMetadata;
type Slot = Block | PendingCall;

export function collectReply(options: ReplyOptions): ReplyCollector {
  const slots: Slot[] = [];
  const open = new Map<string, Block>();
  const calls = collectCalls(options, (call) => slots.push(call));

  function start(type: Block["type"], id: string): Block {
    const block: Block = { type, text: "", metadata: undefined };
    open.set(`${type} ${id}`, block);
    slots.push(block);
    return block;
  }

  function grow(type: Block["type"], piece: Piece): ModelEvent[] {
    const block = open.get(`${type} ${piece.id}`) ?? start(type, piece.id);
    addMetadata(block, piece.providerMetadata);
    const text = piece.delta ?? "";
    block.text += text;
    return text === "" ? [] : [{ type, text }];
  }

  return {
    take(part) {
      switch (part.type) {
        case "text-start":
        case "reasoning-start": {
          const block = start(part.type === "text-start" ? "text" : "thinking", part.id);
          addMetadata(block, part.providerMetadata);
          return calls.closeEmpty();
        }
        case "text-delta":
        case "text-end":
          return grow("text", part);
        case "reasoning-delta":
        case "reasoning-end":
          return grow("thinking", part);
        case "tool-input-start":
          return part.providerExecuted ? [] : [...calls.closeEmpty(), ...calls.start(part)];
        case "tool-input-delta":
          return calls.grow(part);
        case "tool-call":
          return part.providerExecuted ? [] : calls.end(part);
        default:
          return [];
      }
    },
    finish(stop) {
      const events = calls.closeAll(stop);
      return { events, parts: slots.flatMap((slot) => toPart(slot, options)) };
    },
  };
}

interface Piece {
  readonly id: string;
  readonly delta?: string;
  readonly providerMetadata?: Metadata;
}

function addMetadata(slot: Slot, metadata: Metadata | undefined): void {
  if (!metadata) return;
  const merged: Metadata = { ...slot.metadata };
  for (const [key, value] of Object.entries(metadata)) merged[key] = { ...merged[key], ...value };
  slot.metadata = merged;
}

function toPart(slot: Slot, options: ReplyOptions): AssistantPart[] {
  const opaque = opaqueOf(slot.metadata, options);
  if (slot.type === "call") {
    const { callId, tool, inputText } = slot;
    return [{ type: "call", callId, tool, inputText, ...(slot.metadata && { opaque }) }];
  }
  // Thinking that is not shown comes without a text, but its signature must go back.
  if (slot.text === "" && !slot.metadata) return [];
  if (slot.type === "thinking") return [{ type: "thinking", text: slot.text, opaque }];
  return [{ type: "text", text: slot.text, ...(slot.metadata && { opaque }) }];
}

/** What a provider wants back is good for the very model that gave it. */
function opaqueOf(metadata: Metadata | undefined, { provider, modelName }: ReplyOptions): Opaque {
  return { provider, data: { model: modelName, metadata: metadata ?? null } };
}

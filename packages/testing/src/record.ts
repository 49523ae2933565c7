import { RuntimeError } from "../../../src/core/errors.ts";
import type { AssistantPart } from "../../../src/core/message.ts";
import type { SessionEntry } from "../../../src/core/session.ts";
import { toWire } from "../../../src/core/wire.ts";
import { defaultCallId } from "./call-ids.ts";
import { escapeTexts } from "./fill-texts.ts";
import type { Script, ScriptCall, ScriptPart, ScriptTurn } from "./script.ts";

/** The replies of a session as a script: played against the same tools it makes the same calls. */
export function toScript(entries: readonly SessionEntry[]): Script {
  const replies = entries.filter((entry) => entry.type === "assistant");
  if (replies.length === 0) throw new RuntimeError("MODEL_INVALID", "the session has no reply that could be played");
  return { turns: replies.map((reply, index) => toTurn(reply, index)) };
}

/** Readable, and the same bytes for the same script. */
export function serializeScript(script: Script): string {
  return `${JSON.stringify(toWire(script), null, 2)}\n`;
}

function toTurn({ parts, stop, usage }: Extract<SessionEntry, { type: "assistant" }>, index: number): ScriptTurn {
  const calls = parts.filter((part) => part.type === "call");
  const ids = new Map(calls.map(({ callId }, at) => [callId, defaultCallId(index, at)]));
  const said = parts.map((part) => toPart(part, ids));
  return {
    ...inShort(parts, said),
    ...(stop === (calls.length > 0 ? "calls" : "end") ? {} : { stop }),
    usage,
  };
}

/** `thinking`, `text` and `calls` where that says the same; `parts` where the order is another one. */
function inShort(parts: readonly AssistantPart[], said: readonly ScriptPart[]): ScriptTurn {
  const order = parts.map(({ type }) => ranks[type]);
  const sorted = order.every((rank, index) => index === 0 || order[index - 1]! <= rank);
  const isShort = sorted && [0, 1].every((rank) => order.filter((each) => each === rank).length <= 1);
  if (!isShort) return { parts: said };
  const calls = said.filter((part): part is ScriptPart & ScriptCall => part.tool !== undefined);
  const turn = Object.assign({}, ...said.filter(({ tool }) => tool === undefined)) as ScriptTurn;
  if (calls.length > 0) return { ...turn, calls };
  return said.length === 0 ? { text: "" } : turn;
}

const ranks = { thinking: 0, text: 1, call: 2 } as const;

function toPart(part: AssistantPart, defaultIds: ReadonlyMap<string, string>): ScriptPart {
  if (part.type === "text") return { text: escapeTexts(part.text) as string };
  // Without its signature: that means something to the model that thought it, and a script is another one.
  if (part.type === "thinking") return { thinking: escapeTexts(part.text) as string };
  const { callId, tool, inputText } = part;
  const id = defaultIds.get(callId) === callId ? {} : { id: callId };
  return { tool, ...toInput(inputText), ...id };
}

/** As a value where that gives the same letters again. */
function toInput(inputText: string): Pick<ScriptCall, "input" | "inputText"> {
  try {
    const input: unknown = JSON.parse(inputText);
    if (JSON.stringify(input) === inputText) return { input: escapeTexts(input) };
  } catch {
    // Not JSON: it is kept as it is.
  }
  return { inputText };
}

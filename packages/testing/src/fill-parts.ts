import { createHash } from "node:crypto";
import type { AssistantPart, Message, TextPart, ThinkingPart } from "../../../src/core/message.ts";
import { createIdGiver, defaultCallId } from "./call-ids.ts";
import { isSaid } from "./check-script.ts";
import { fillTexts } from "./fill-texts.ts";
import type { ScriptPart } from "./script.ts";

/** Null: a pause, or a text that is empty. */
export interface SpokenPart {
  readonly part: AssistantPart | null;
  readonly pauseMs: number;
}

/** The parts of a turn, as the model says them in this very conversation. */
export function fillParts(
  parts: readonly ScriptPart[],
  messages: readonly Message[],
  position: number,
): { readonly parts: readonly SpokenPart[]; readonly missing: readonly string[] } {
  const giveId = createIdGiver(messages);
  const missing: string[] = [];
  let calls = 0;
  const fill = (value: unknown): unknown => {
    const filled = fillTexts(value, messages);
    missing.push(...filled.missing);
    return filled.value;
  };
  const spoken = parts.map((given): SpokenPart => {
    const pauseMs = given.pauseMs ?? 0;
    if (!isSaid(given)) return { part: null, pauseMs };
    if (given.tool === undefined) {
      const part = sayText(given, fill);
      return { part: part.text === "" ? null : part, pauseMs };
    }
    const callId = giveId(given.id ?? defaultCallId(position, calls++));
    // `inputText` is taken letter by letter, so nothing is filled in.
    const inputText = given.inputText ?? JSON.stringify(fill(given.input === undefined ? {} : given.input));
    return { part: { type: "call", callId, tool: given.tool, inputText }, pauseMs };
  });
  return { parts: spoken, missing };
}

function sayText(
  { text, thinking, signature }: ScriptPart,
  fill: (value: unknown) => unknown,
): TextPart | ThinkingPart {
  if (text !== undefined) return { type: "text", text: fill(text) as string };
  const thought = fill(thinking) as string;
  const opaque = { provider: "script", data: { signature: signature ?? signatureOf(thought) } };
  return { type: "thinking", text: thought, opaque };
}

/** Looks like one of a provider, and is the same for the same thought. */
function signatureOf(text: string): string {
  return createHash("sha256").update(text).digest("base64");
}

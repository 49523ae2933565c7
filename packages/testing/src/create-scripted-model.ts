import { setTimeout as sleepFor } from "node:timers/promises";
import type { Model, ModelEvent } from "../../../src/core/model.ts";
import { toWire } from "../../../src/core/wire.ts";
import { checkScript } from "./check-script.ts";
import { createPlayer, type Sleep, type Step } from "./play-script.ts";
import type { Script } from "./script.ts";

export interface ScriptedModelOptions {
  readonly id?: string;
  /** How the times of a script pass. */
  readonly sleep?: Sleep;
}

/** A model that says what its script says. Throws MODEL_INVALID when the script makes no sense. */
export function createScriptedModel(script: Script, options: ScriptedModelOptions = {}): Model {
  const { model = {}, ...rest } = checkScript(toWire(script), "This");
  const play = createPlayer(rest, options.sleep ?? sleepInTime);
  return {
    id: options.id ?? "script",
    provider: "script",
    family: "other",
    limits: { contextTokens: model.contextTokens ?? null, maxOutputTokens: model.maxOutputTokens ?? null },
    price: model.price ? { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, ...model.price } : null,
    acceptsImages: model.acceptsImages ?? true,
    async *stream(request) {
      for await (const step of play(request)) {
        const event = toEvent(step);
        if (event) yield event;
      }
    },
  };
}

export const sleepInTime: Sleep = async (delayMs, signal) => {
  try {
    await sleepFor(delayMs, undefined, { signal });
  } catch {
    // The signal fired; whoever waits looks at it.
  }
};

function toEvent(step: Step): ModelEvent | undefined {
  if (step.type === "finished" || step.type === "failed") return step;
  if (step.type === "started") return undefined;
  const { part } = step;
  if (part.type !== "call") return step.type === "piece" ? { type: part.type, text: step.text } : undefined;
  const { callId, tool } = part;
  if (step.type === "part_started") return { type: "call_announced", callId, tool };
  if (step.type === "piece") return { type: "call_input", callId, text: step.text };
  return { type: "call", call: part };
}

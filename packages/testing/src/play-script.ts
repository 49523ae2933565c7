import type { AssistantPart } from "../../../src/core/message.ts";
import type { ModelFailure, ModelRequest, StopReason, Usage } from "../../../src/core/model.ts";
import { checkExpectation } from "./check-expectation.ts";
import { partsOf, type CheckedScript } from "./check-script.ts";
import { createTurnChooser, type Choice } from "./choose-turn.ts";
import { estimateUsage } from "./estimate-usage.ts";
import { abortedFailure, failureOf, scriptFailure } from "./failure-of.ts";
import { fillParts, type SpokenPart } from "./fill-parts.ts";
import { firstHalf, splitInput, splitText } from "./split-text.ts";

/** A reply as it is spoken, before anybody's protocol. The last step is `finished` or `failed`. */
export type Step =
  /** The provider took the request. A failure without this one came instead of a reply. */
  | { readonly type: "started"; readonly usage: Usage }
  | { readonly type: "part_started"; readonly part: AssistantPart }
  | { readonly type: "piece"; readonly part: AssistantPart; readonly text: string }
  | { readonly type: "part_ended"; readonly part: AssistantPart }
  | {
      readonly type: "finished";
      readonly parts: readonly AssistantPart[];
      readonly stop: StopReason;
      readonly usage: Usage;
    }
  | { readonly type: "failed"; readonly failure: ModelFailure };

export type FinishedStep = Extract<Step, { type: "finished" }>;

/** Ends early, and never rejects, when the signal fires. */
export type Sleep = (delayMs: number, signal: AbortSignal) => Promise<void>;

/** Plays the script to anybody who asks; what was failed on purpose is remembered here. */
export function createPlayer(script: CheckedScript, sleep: Sleep): (request: ModelRequest) => AsyncGenerator<Step> {
  const choose = createTurnChooser(script);
  return async function* play(request) {
    if (request.signal.aborted) return yield aborted;
    const choice = choose(request);
    if (!choice) return yield { type: "failed", failure: scriptFailure(tellEnd(script)) };
    yield* playTurn(choice, { request, script, sleep });
  };
}

interface Stage {
  readonly request: ModelRequest;
  readonly script: CheckedScript;
  readonly sleep: Sleep;
}

async function* playTurn(choice: Choice, { request, script, sleep }: Stage): AsyncGenerator<Step> {
  const { turn, manner, number, position } = choice;
  const { messages, signal } = request;
  const problem = turn.expect && checkExpectation(turn.expect, messages);
  if (problem !== undefined) return yield failed(`Turn ${number} of the script ${problem}.`);
  const { parts, missing } = fillParts(partsOf(turn), messages, position);
  if (missing.length > 0) {
    return yield failed(`Turn ${number} of the script quotes ${missing.join(", ")}, but nothing of that was said yet.`);
  }

  const pieceMs = turn.pieceMs ?? script.pieceMs ?? null;
  const wait = (delayMs: number | null): Promise<boolean> => waitFor(delayMs ?? 0, { sleep, signal });
  const shown = manner === "fail" ? parts.slice(0, turn.fail?.after ?? 0) : parts;
  const cutAt = manner === "cut" ? parts.findLastIndex(({ part }) => part !== null) : -1;

  let isFirst = true;
  if (!(await wait(turn.delayMs ?? script.delayMs ?? 0))) return yield aborted;
  const finished = finish(choice, request, parts);
  if (manner !== "fail" || shown.length > 0) yield { type: "started", usage: finished.usage };
  for (const [index, { part, pauseMs }] of shown.entries()) {
    if (!(await wait(pauseMs))) return yield aborted;
    if (!part) continue;
    yield { type: "part_started", part };
    for (const text of piecesOf(part, index === cutAt ? "half" : pieceMs === null ? "one" : "few")) {
      if (!(await wait(isFirst ? 0 : pieceMs))) return yield aborted;
      isFirst = false;
      yield { type: "piece", part, text };
    }
    if (signal.aborted) return yield aborted;
    if (index === cutAt) return yield { type: "failed", failure: failureOf({ kind: "cut" }) };
    yield { type: "part_ended", part };
  }
  if (signal.aborted) return yield aborted;
  if (manner === "fail") return yield { type: "failed", failure: failureOf(turn.fail ?? {}) };
  // All that it would have said was a quote of nothing.
  if (manner === "cut") return yield { type: "failed", failure: failureOf({ kind: "cut" }) };
  yield finished;
}

function finish({ turn }: Choice, request: ModelRequest, spoken: readonly SpokenPart[]): FinishedStep {
  const parts = spoken.flatMap(({ part }) => part ?? []);
  const stop = turn.stop ?? (parts.some(({ type }) => type === "call") ? "calls" : "end");
  return { type: "finished", parts, stop, usage: { ...estimateUsage(request, parts), ...turn.usage } };
}

function piecesOf(part: AssistantPart, size: "one" | "few" | "half"): string[] {
  const text = part.type === "call" ? part.inputText : part.text;
  if (size === "half") return [firstHalf(text)].filter((each) => each !== "");
  if (size === "one") return text === "" ? [] : [text];
  return part.type === "call" ? splitInput(text) : splitText(text);
}

/** False when the signal fired first, also when the sleep does not care about it. */
async function waitFor(delayMs: number, { sleep, signal }: Pick<Stage, "sleep"> & { signal: AbortSignal }) {
  if (delayMs <= 0 || signal.aborted) return !signal.aborted;
  const fired = Promise.withResolvers<void>();
  const onAbort = (): void => fired.resolve();
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    await Promise.race([sleep(delayMs, signal), fired.promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
  return !signal.aborted;
}

const aborted: Step = { type: "failed", failure: abortedFailure };

function failed(message: string): Step {
  return { type: "failed", failure: scriptFailure(message) };
}

function tellEnd({ turns, order }: CheckedScript): string {
  const count = turns.length === 1 ? "1 turn" : `${turns.length} turns`;
  const held = order === "requests" ? "all were taken" : "the conversation already has a reply for each";
  return `The script has ${count}, and ${held}: add a turn, or set "at_end" to "loop" or "repeat_last".`;
}

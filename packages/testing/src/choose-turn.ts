import type { ModelRequest } from "../../../src/core/model.ts";
import { onlyFails, type CheckedScript } from "./check-script.ts";
import type { Script, ScriptTurn } from "./script.ts";

/** `whole`: the reply as it is written. */
export type Manner = "whole" | "fail" | "cut";

export interface Choice {
  readonly turn: ScriptTurn;
  readonly manner: Manner;
  /** As a person counts them in the file. */
  readonly number: number;
  /** How many replies came before. */
  readonly position: number;
}

/** Which turn answers a request; undefined when there is none left. Counts the failures it gave away. */
export type ChooseTurn = (request: ModelRequest) => Choice | undefined;

export function createTurnChooser(script: CheckedScript): ChooseTurn {
  const stages = arrange(script);
  const failed = new Map<number, number>();
  let next = 0;

  return ({ messages, tools }) => {
    if (script.withoutTools !== undefined && tools.length === 0) {
      return { turn: { text: script.withoutTools }, manner: "whole", number: 0, position: 0 };
    }
    const position = script.order === "requests" ? next : messages.filter(({ role }) => role === "assistant").length;
    const stage = stageAt(stages, position, script.atEnd);
    if (!stage) return undefined;
    const before = failed.get(position) ?? 0;
    const hurdle = hurdleAt(stage, before);
    if (hurdle) {
      failed.set(position, before + 1);
      return { ...hurdle, position };
    }
    if (stage.turn === null) return undefined;
    next = position + 1;
    return { turn: stage.turn, manner: "whole", number: stage.number, position };
  };
}

/** One reply, and the failures that come before it. */
interface Stage {
  readonly hurdles: readonly Hurdle[];
  /** Null behind the last reply: there is nothing but failures. */
  readonly turn: ScriptTurn | null;
  readonly number: number;
}

interface Hurdle {
  readonly turn: ScriptTurn;
  readonly manner: "fail" | "cut";
  readonly number: number;
  readonly times: number;
}

function arrange({ turns }: CheckedScript): Stage[] {
  const stages: Stage[] = [];
  let hurdles: Hurdle[] = [];
  for (const [index, turn] of turns.entries()) {
    const number = index + 1;
    for (let time = 0; time < (turn.times ?? 1); time++) {
      if (turn.fail) hurdles.push({ turn, manner: "fail", number, times: timesOf(turn.fail.times) });
      if (turn.cut) hurdles.push({ turn, manner: "cut", number, times: 1 });
      if (onlyFails(turn)) continue;
      stages.push({ hurdles, turn, number });
      hurdles = [];
    }
  }
  if (hurdles.length > 0) stages.push({ hurdles, turn: null, number: turns.length });
  return stages;
}

function timesOf(times: number | "always" | undefined): number {
  return times === "always" ? Infinity : (times ?? 1);
}

function stageAt(stages: readonly Stage[], position: number, atEnd: Script["atEnd"]): Stage | undefined {
  if (position < stages.length) return stages[position];
  if (atEnd === "loop") return stages[position % stages.length];
  const last = stages.at(-1);
  return atEnd === "repeat_last" && last ? { ...last, hurdles: [] } : undefined;
}

function hurdleAt({ hurdles }: Stage, before: number): Hurdle | undefined {
  let passed = 0;
  return hurdles.find(({ times }) => before < (passed += times));
}

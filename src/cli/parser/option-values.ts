import { nearest } from "../../core/text.ts";
import { UsageError, type Invocation } from "./command.ts";

/** `--limit N`. */
export function readLimit(given: string | undefined, defaultLimit: number): number {
  if (given === undefined) return defaultLimit;
  const limit = /^\d+$/.test(given) ? Number(given) : 0;
  if (limit > 0 && Number.isSafeInteger(limit)) return limit;
  throw new UsageError(`Invalid value "${given}" for --limit: expected a whole number greater than 0.`);
}

/** `--timeout SECONDS`, in milliseconds. */
export function readSeconds(invocation: Invocation, option: string): number | undefined {
  const given = invocation.value(option);
  if (given === undefined) return undefined;
  const seconds = /^\d*\.?\d+$/.test(given) ? Number(given) : Number.NaN;
  if (seconds > 0 && Number.isFinite(seconds)) return Math.max(1, Math.round(seconds * 1000));
  throw new UsageError(
    `Invalid value "${given}" for --${option}: expected a number of seconds greater than 0, such as 1.5.`,
  );
}

export interface StateChoices<State extends string> {
  readonly all: readonly State[];
  /** The states that `--running` stands for. */
  readonly running: readonly State[];
}

/** `--state` (repeatable, or several separated by commas) and `--running`. Empty: no filter. */
export function readStates<State extends string>(
  invocation: Invocation,
  choices: StateChoices<State>,
): readonly State[] {
  const given = invocation.values("state").flatMap((value) => value.split(","));
  const states = given.map((value) => {
    const state = choices.all.find((each) => each === value.trim().toLowerCase());
    if (state === undefined)
      throw new UsageError(`Invalid value "${value}" for --state. ${suggest(value, choices.all)}`);
    return state;
  });
  if (!invocation.has("running")) return states;
  if (states.length > 0) throw new UsageError("--running and --state can't be combined.");
  return choices.running;
}

/** The second half of an error about an unknown name. */
export function suggest(given: string, known: readonly string[]): string {
  const [similar] = nearest(given, known, 1);
  return similar === undefined ? `Expected one of: ${known.join(", ")}.` : `Did you mean "${similar}"?`;
}

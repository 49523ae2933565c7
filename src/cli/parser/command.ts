import { nearest } from "../../core/text.ts";
import type { Terminal } from "../terminal/terminal.ts";

/** One command of the command line, as data: parsing, help and suggestions are made from it. */
export type Command = CommandRow & (CommandCode | LazyCommandCode);

interface CommandRow {
  /** `calls show`; empty for `deckhand` alone. */
  readonly name: string;
  /** In order; those in brackets (`[JSON]`) may be left out, and the last one may be given again where it ends in `…`. */
  readonly positionals: readonly string[];
  readonly summary: string;
  /** More than the summary, for `--help`: paragraphs, which the help wraps, or one text that is printed as it is. */
  readonly details?: readonly string[] | string;
  /** For `--help`: the codes that mean something particular to this command. */
  readonly exitCodes?: Readonly<Record<number, string>>;
  readonly options: Readonly<Record<string, Option>>;
  readonly examples: readonly string[];
}

/** For a row in the file of its area (`commands/`): the area is loaded only when one of its commands is used. */
interface CommandCode {
  readonly run: RunCommand;
}

/** For a row in a table that is always loaded: the command's code is loaded only when it runs. */
interface LazyCommandCode {
  load(): Promise<RunCommand>;
}

export interface Option {
  /** What its value is called in the help; missing = it takes none. */
  readonly value?: string;
  readonly short?: string;
  readonly repeatable?: boolean;
  readonly summary: string;
}

/** Resolves to the exit code. */
export type RunCommand = (invocation: Invocation, terminal: Terminal) => Promise<number>;

export interface Invocation {
  readonly positionals: readonly string[];
  /** Was this option, which takes no value, given? */
  has(option: string): boolean;
  /** The value of an option; the last one when it was given twice. */
  value(option: string): string | undefined;
  values(option: string): readonly string[];
}

/** Wrong use of the command line: one sentence, exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** Whoever knows can't be asked now, so nothing is known: one sentence, exit code 69. */
export class UnavailableError extends Error {
  override readonly name = "UnavailableError";
}

/** What only a person may do, and this is none: one sentence, exit code 3. */
export class RefusedError extends Error {
  override readonly name = "RefusedError";
}

/** The options that every command has. */
export const commonOptions: Readonly<Record<string, Option>> = {
  json: { summary: "Output JSON: one document, or one per line when streaming" },
  workdir: { value: "DIR", summary: "Workspace to use (default: current directory; also DECKHAND_WORKDIR)" },
  help: { short: "h", summary: "Show help" },
};

/** For commands about records that several machines can share. */
export const storeOption: Readonly<Record<string, Option>> = {
  store: {
    value: "URL",
    summary: "Shared PostgreSQL database, postgres://… (also store.url, DECKHAND_STORE_URL)",
  },
};

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

/** What to type: whoever typed `npm start` may have no command named deckhand. */
export function programName(env: Terminal["env"]): string {
  return env["npm_lifecycle_event"] === "start" ? "npm start --" : "deckhand";
}

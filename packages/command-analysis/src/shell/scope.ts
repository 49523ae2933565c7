import type { ParsedScript } from "unbash";
import type { Finding } from "../finding.ts";
import type { Place } from "../place.ts";
import type { Input, SimpleCommand, Word } from "../simple-command.ts";
import type { Variables } from "./expand/variables.ts";

/** What is gathered while one text is analysed, nested texts included. */
export interface Gathered {
  readonly place: Place;
  readonly findings: Finding[];
  readonly commands: SimpleCommand[];
  readonly functions: Map<string, ShellFunction>;
  /** Files that the text itself writes, with what it writes into them. Null: not known. */
  readonly files: Map<string, string | null>;
  /** Copies of programs and links to them that the text itself makes, and which program each one is. */
  readonly programs: Map<string, string>;
  /** Commands already gathered, by their words. */
  readonly seen: Set<string>;
  /** Nodes walked so far: work is bounded even where nothing is gathered. */
  steps: number;
  /** A limit was met: what follows is not looked at, and a finding says so. */
  isFull: boolean;
  /** A default (`${X:-…}`) stood in for a variable of the environment. */
  hasAssumed: boolean;
  hasBackground: boolean;
}

export interface ShellFunction {
  readonly name: string;
  readonly scope: Scope;
  readonly walk: (scope: Scope) => Output;
  /** With which arguments it was already walked. */
  readonly walked: Set<string>;
}

/** Where in the text the walk is, and what holds there. */
export interface Scope {
  readonly gathered: Gathered;
  /** Positions of the nodes count in this text. */
  readonly source: string;
  readonly variables: Variables;
  readonly input: Input;
  readonly via: readonly string[];
  /** Texts within texts and wrappers within wrappers. */
  readonly depth: number;
  /** Syntax within syntax. */
  readonly nesting: number;
  /** Functions whose bodies are being walked, outermost first. */
  readonly calls: readonly Call[];
  /** Part of a pipeline or sent to the background, since the innermost call. */
  readonly isParallel: boolean;
  /** How often loops around this place are walked. */
  readonly rounds: number;
  /** Not the first round: its commands are already gathered, unless their words differ. */
  readonly isRepeat: boolean;
  /** Breaks the circle between words, commands and scripts, each of which may contain the others. */
  readonly walker: Walker;
}

interface Call {
  readonly name: string;
  /** The call itself stands in a pipeline or in the background. */
  readonly isParallel: boolean;
}

/** Text a part writes to its stdout; null when that can't be known. */
export type Output = string | null;

export interface Walker {
  walkScript(script: ParsedScript, scope: Scope): Output;
  walkText(text: string, scope: Scope): Output;
}

/** A word with what only the walk needs to know. */
export interface ShellWord extends Word {
  /** Partly the output of a command, or of a variable that holds such. */
  readonly isTainted?: boolean;
  /** Where it stands in the text. */
  readonly from?: number;
  readonly to?: number;
  /** Of `<( )`: what it would read. */
  readonly process?: Input;
}

export const maxCommands = 200;
const maxDepth = 8;
const maxNesting = 60;
const maxSteps = 4000;

export function addFinding(scope: Scope, finding: Pick<Finding, "verdict" | "rule" | "reason">, command: string): void {
  const { findings } = scope.gathered;
  const isKnown = findings.some((other) => other.rule === finding.rule && other.command === command);
  if (!isKnown && findings.length < maxCommands) findings.push({ ...finding, command });
}

/** False: a limit is reached; the finding is made, and nothing deeper may be walked. */
export function takeStep(scope: Scope): boolean {
  const { gathered } = scope;
  gathered.steps += 1;
  if (scope.nesting > maxNesting) stop(scope, "shell.too-deep", `It is nested more than ${maxNesting} levels deep`);
  if (scope.depth > maxDepth) {
    stop(scope, "shell.too-deep", `It has more than ${maxDepth} commands wrapped in one another`);
  }
  if (gathered.commands.length > maxCommands || gathered.steps > maxSteps) {
    stop(scope, "shell.too-many", `It has more than ${maxCommands} commands`);
  }
  return !gathered.isFull;
}

function stop(scope: Scope, rule: string, what: string): void {
  scope.gathered.isFull = true;
  const reason = `${what}, so it is not analysed; put it into a script file.`;
  addFinding(scope, { verdict: "unknown", rule, reason }, excerpt(scope.source));
}

/** Sources are shown to people. */
export function excerpt(text: string): string {
  return text.length > 400 ? `${text.slice(0, 400)}…` : text;
}

export function literal(text: string): ShellWord {
  return { text, kind: "literal", prefix: text };
}

export function dynamic(text: string, isTainted = false): ShellWord {
  return { text, kind: "dynamic", prefix: "", isTainted };
}

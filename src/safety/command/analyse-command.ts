import type { Finding, Verdict } from "./finding.ts";
import type { SimpleCommand } from "./simple-command.ts";

export interface CommandAnalysis {
  /** `danger` when any finding says so, else `unknown` when any finding says so, else `safe`. Safe does not mean read-only. */
  readonly verdict: Verdict;
  readonly findings: readonly Finding[];
  /** Every program that would be started, wrappers taken off, in the order of the text; also those inside `sh -c`, `$( )`, `xargs`, … */
  readonly commands: readonly SimpleCommand[];
  /** True: `commands` is all that can run, and the words of each are known. Permission rules may only allow then. */
  readonly isComplete: boolean;
  /** Proved: it changes nothing that anyone could observe. False when in doubt. */
  readonly isReadOnly: boolean;
}

export interface AnalyseOptions {
  /** Where it would run; makes relative paths comparable. */
  readonly cwd?: string;
  readonly home?: string;
}

/** What a shell command would do, judged by its parsed form. Never throws, and takes time linear in its length. */
export function analyseCommand(_text: string, _options: AnalyseOptions = {}): CommandAnalysis {
  throw new Error("being built");
}

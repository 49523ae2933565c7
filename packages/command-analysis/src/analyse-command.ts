import { parse } from "unbash";
import type { Finding, Verdict } from "./finding.ts";
import { judgeTogether } from "./judge-together.ts";
import type { SimpleCommand } from "./simple-command.ts";
import { isReadOnly, provesReadOnly } from "./shell/prove-read-only.ts";
import { walkUncalled } from "./shell/call-function.ts";
import { checkText } from "./shell/check-text.ts";
import { addFinding, excerpt, takeStep, type Gathered, type Scope, type Walker } from "./shell/scope.ts";
import { Variables } from "./shell/expand/variables.ts";
import { walkScript } from "./shell/walk-script.ts";

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
  /** Those of `commands` that are not proved to change nothing. */
  readonly changing: readonly SimpleCommand[];
}

export interface AnalyseOptions {
  /** Where it would run; makes relative paths comparable. */
  readonly cwd?: string;
  readonly home?: string;
}

/** What a shell command would do, judged by its parsed form. Never throws, and takes time linear in its length. */
export function analyseCommand(text: string, options: AnalyseOptions = {}): CommandAnalysis {
  const scope = openScope(text, options);
  const { gathered } = scope;
  try {
    const problem = checkText(text);
    if (problem) return conclude(text, [{ verdict: "unknown", ...problem, command: excerpt(text) }]);
    walker.walkText(text, scope);
    if (!gathered.isFull) walkUncalled(scope);
    for (const { command, ...finding } of judgeTogether(gathered.commands, options))
      addFinding(scope, finding, command);
  } catch (error) {
    // A bug in here must ask a person, not let something through or take the caller down.
    const reason = `It could not be analysed (${error instanceof Error ? error.message : String(error)}).`;
    addFinding(scope, { verdict: "unknown", rule: "analysis.failed", reason }, excerpt(text));
  }
  return conclude(text, gathered.findings, gathered);
}

const walker: Walker = {
  walkScript,
  walkText(text, scope) {
    return takeStep(scope) ? walkScript(parse(text), { ...scope, source: text, nesting: scope.nesting + 1 }) : null;
  },
};

function openScope(source: string, place: AnalyseOptions): Scope {
  const gathered: Gathered = {
    place,
    findings: [],
    commands: [],
    functions: new Map(),
    files: new Map(),
    programs: new Map(),
    seen: new Set(),
    steps: 0,
    isFull: false,
    hasAssumed: false,
    hasBackground: false,
  };
  return {
    gathered,
    source,
    variables: new Variables(),
    input: { kind: "none" },
    via: [],
    depth: 0,
    nesting: 0,
    calls: [],
    isParallel: false,
    rounds: 1,
    isRepeat: false,
    walker,
  };
}

function conclude(text: string, findings: readonly Finding[], gathered?: Gathered): CommandAnalysis {
  const verdict = findings.some((finding) => finding.verdict === "danger")
    ? "danger"
    : findings.length > 0
      ? "unknown"
      : "safe";
  const commands = gathered?.commands ?? [];
  const isUnderstood =
    gathered !== undefined && !gathered.hasAssumed && findings.every((finding) => finding.verdict !== "unknown");
  const isComplete =
    isUnderstood && commands.every(({ words }) => words[0] === undefined || words[0].kind === "literal");
  return {
    verdict,
    findings,
    commands,
    isComplete,
    isReadOnly: isComplete && verdict === "safe" && provesReadOnly(gathered, text),
    changing: commands.filter((command) => !isReadOnly(command)),
  };
}

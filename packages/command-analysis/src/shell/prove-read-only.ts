import { isReadOnlyProgram } from "../read-only/read-only.ts";
import { readExactly, usage, type Usage } from "../read-only/read-only-options.ts";
import type { Redirect, SimpleCommand } from "../simple-command.ts";
import { evaluatesValues } from "./evaluates-values.ts";
import type { Gathered } from "./scope.ts";

/** Every part only looks, nothing is left running and nothing is written anywhere. */
export function provesReadOnly({ commands, functions, hasBackground }: Gathered, text: string): boolean {
  return (
    !hasBackground &&
    functions.size === 0 &&
    commands.length > 0 &&
    commands.every(isReadOnly) &&
    !evaluatesValues(text, changesShell)
  );
}

export function isReadOnly(command: SimpleCommand): boolean {
  if (!command.redirects.every(leavesNothing)) return false;
  if (command.words.length === 0) return !command.assignments.some(({ name }) => changesShell.test(name));
  if (!command.assignments.every(({ name }) => changesLooks.test(name))) return false;
  return isTransparent(command) || isReadOnlyProgram(command);
}

function leavesNothing({ operator, target }: Redirect): boolean {
  if (operator === "<") return true;
  if (operator === ">&" || operator === "<&") return target.kind === "literal" && /^(?:\d|-)$/.test(target.text);
  return target.kind === "literal" && target.text === "/dev/null" && operator !== "<>";
}

/**
 * Programs that only start what their operands name, which is judged by itself. Left out: what writes (`time -o`), changes another
 * process (`prlimit -p`), loads code or passes another name for the program (`exec -a`), or changes the folder (`env -C`).
 */
const transparent: ReadonlyMap<string, Usage> = new Map(
  Object.entries({
    env: "i|ignore-environment 0|null u|unset=",
    timeout: "s|signal= k|kill-after= foreground preserve-status v|verbose",
    gtimeout: "s|signal= k|kill-after= foreground preserve-status v|verbose",
    nice: "n|adjustment=",
    stdbuf: "i|input= o|output= e|error=",
    time: "p",
    command: "p",
    builtin: "",
    exec: "",
  }).map(([name, options]) => [name, usage(options, { stops: true, numbers: name === "nice" })]),
);

function isTransparent({ name, words }: SimpleCommand): boolean {
  const table = words[0]?.text === name ? transparent.get(name) : undefined;
  const reading = table === undefined ? null : readExactly(words.slice(1), table);
  return reading !== null && reading.values.every(({ kind }) => kind === "literal");
}

/** Variables that the shell itself heeds, or that programs already have and take as an order. */
const changesShell =
  /^(?:PATH|IFS|ENV|BASH\w*|SHELLOPTS|BASHOPTS|GLOBIGNORE|EXECIGNORE|FIGNORE|POSIXLY_CORRECT|CDPATH|PS\d|TMOUT|OPTIND|HIST\w*|DIRSTACK|HOME|OLDPWD|PWD|SHELL|TMPDIR|LD_\w*|DYLD_\w*|GIT_\w*|SSH_\w*|XDG_\w*|\w*PAGER|\w*EDITOR|VISUAL|BROWSER|LESS\w*|PYTHON\w*|NODE_\w*|NPM_\w*|PERL\w*|RUBY\w*|JAVA_\w*|GLIBC_\w*|GCONV_PATH|LOCPATH|AWK\w*|RIPGREP_\w*|GREP_\w*|JQ_\w*|MAGIC|\w+_(?:OPT|OPTS|OPTIONS|FLAGS|COMMAND|PROGRAM|PATH|CONFIG|HOME|DIR|WRAPPER|VERSION))$/i;

/** Before a program only what changes how it prints: each program has further variables that make it load or run something. */
const changesLooks =
  /^(?:LC_[A-Z]+|LANG|LANGUAGE|TZ|NO_COLOR|FORCE_COLOR|CLICOLOR|CLICOLOR_FORCE|COLUMNS|LINES|TERM|CI)$/;

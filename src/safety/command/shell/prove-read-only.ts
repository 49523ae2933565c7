import { isReadOnlyProgram } from "../read-only.ts";
import type { Redirect, SimpleCommand } from "../simple-command.ts";
import type { Gathered } from "./scope.ts";
import { findWrapper } from "./wrappers.ts";

/** Every part only looks, nothing is left running and nothing is written anywhere. */
export function provesReadOnly({ commands, functions, hasBackground }: Gathered): boolean {
  return !hasBackground && functions.size === 0 && commands.length > 0 && commands.every(isReadOnly);
}

export function isReadOnly(command: SimpleCommand): boolean {
  if (!command.redirects.every(leavesNothing)) return false;
  if (command.assignments.some(({ name }) => changesPrograms.test(name))) return false;
  return command.words.length === 0 || findWrapper(command.name)?.isPlain === true || isReadOnlyProgram(command);
}

function leavesNothing({ operator, target }: Redirect): boolean {
  if (operator === "<") return true;
  if (operator === ">&" || operator === "<&") return target.kind === "literal" && /^(?:\d|-)$/.test(target.text);
  return target.kind === "literal" && target.text === "/dev/null" && operator !== "<>";
}

/** Variables that make programs load or run something else. */
const changesPrograms =
  /^(?:PATH|IFS|ENV|BASH_.*|SHELLOPTS|BASHOPTS|LD_.*|DYLD_.*|GIT_.*|SSH_.*|PAGER|MANPAGER|EDITOR|VISUAL|BROWSER|SHELL|HOME|LESS.*|PYTHON.*|NODE_.*|NPM_.*|PERL.*|RUBY.*|JAVA_.*|.*_OPTIONS|.*_COMMAND|PROMPT_COMMAND|PS4|CDPATH|TMPDIR|GLIBC_.*|GCONV_PATH|LOCPATH)$/i;

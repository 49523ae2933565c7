import { delimiter, isAbsolute } from "node:path";

export interface EnvironmentOptions {
  /** Further names that the person lets through. */
  readonly add?: readonly string[];
}

/**
 * The environment of child processes: what is on the list, what the person adds, and what keeps programs from
 * waiting for a terminal. Built from nothing; whoever needs one more variable names it.
 */
export function childEnvironment(
  source: Readonly<Record<string, string | undefined>>,
  options: EnvironmentOptions = {},
): Record<string, string> {
  const environment: Record<string, string> = {};
  const added = new Set(options.add);
  for (const [name, value] of Object.entries(source)) {
    if (value === undefined || value.includes("\0") || !isVariableName(name) || changesPrograms(name)) continue;
    if (added.has(name) || allowed.has(name) || name.startsWith("LC_")) environment[name] = value;
  }
  environment["PATH"] = withoutRelative(environment["PATH"]);
  return { ...environment, ...fixed };
}

/** What every shell can hold; the sandbox passes the environment through one. */
export function isVariableName(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name);
}

const allowed = new Set([
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "SHELL",
  "LANG",
  "LANGUAGE",
  "TERM",
  "COLORTERM",
  "TZ",
  "TMPDIR",
  "CI",
  "NO_COLOR",
  "XDG_CACHE_HOME",
  "XDG_CONFIG_DIRS",
  "XDG_CONFIG_HOME",
  "XDG_DATA_DIRS",
  "XDG_DATA_HOME",
  "XDG_STATE_HOME",
]);

/**
 * These make a program run something it was not asked to. They don't pass even when they are added by name: a
 * command that needs one sets it itself, where everybody can see it.
 */
function changesPrograms(name: string): boolean {
  return loaders.has(name) || /^(LD|DYLD)_/.test(name) || (name.startsWith("GIT_") && !plainGit.test(name));
}

const loaders = new Set([
  "BASH_ENV",
  "ENV",
  "ZDOTDIR",
  "PROMPT_COMMAND",
  "SHELLOPTS",
  "BASHOPTS",
  "PS4",
  "IFS",
  "CDPATH",
  "GLOBIGNORE",
  "NODE_OPTIONS",
  "NODE_REPL_EXTERNAL_MODULE",
  "PYTHONSTARTUP",
  "PYTHONINSPECT",
  "PYTHONBREAKPOINT",
  "PERL5OPT",
  "PERL5DB",
  "RUBYOPT",
  "JAVA_TOOL_OPTIONS",
  "_JAVA_OPTIONS",
  "PAGER",
  "MANPAGER",
  "LESSOPEN",
  "LESSCLOSE",
  "EDITOR",
  "VISUAL",
  "BROWSER",
  "DECKHAND_EXECUTION",
  "DECKHAND_RUN",
]);

/** Who commits and when; everything else of git's can name a program or another repository. */
const plainGit = /^GIT_(AUTHOR|COMMITTER)_(NAME|EMAIL|DATE)$/;

const fixed = {
  GIT_TERMINAL_PROMPT: "0",
  GIT_PAGER: "cat",
  PAGER: "cat",
  DEBIAN_FRONTEND: "noninteractive",
};

/** An empty or relative entry would let a folder that the model can write to decide what `git` means. */
function withoutRelative(path = ""): string {
  const entries = path.split(delimiter).filter(isAbsolute);
  return entries.length > 0 ? entries.join(delimiter) : "/usr/local/bin:/usr/bin:/bin";
}

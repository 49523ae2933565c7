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
    const isProxy = proxies.test(name) && !value.includes("@");
    if (added.has(name) || allowed.has(name) || isProxy || name.startsWith("LC_")) environment[name] = value;
  }
  environment["PATH"] = withoutRelative(environment["PATH"]);
  return { ...environment, ...fixed };
}

/** Why a name that the person added is never passed; undefined when it is. */
export function whyNeverPassed(name: string): string | undefined {
  if (!isVariableName(name)) return "is no name of a variable";
  return changesPrograms(name) ? "makes programs run something else, so it is never passed" : undefined;
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
  // What runs below a background agent stays known as a part of its task.
  "DECKHAND_TASK",
  // Where the tools of a project are, and how they reach the network.
  "NODE_ENV",
  "VIRTUAL_ENV",
  "CONDA_PREFIX",
  "JAVA_HOME",
  "GOPATH",
  "GOROOT",
  "NVM_DIR",
  "PYENV_ROOT",
  "RUSTUP_HOME",
  "ANDROID_HOME",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  "NODE_EXTRA_CA_CERTS",
  "REQUESTS_CA_BUNDLE",
  "CURL_CA_BUNDLE",
  "GIT_SSL_CAINFO",
]);

/** Passes unless it holds a password: then the person decides, by naming it. */
const proxies = /^(?:https?|all|no|ftp)_proxy$/i;

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

/** Who commits and when, and whom to believe; everything else of git's can name a program or another repository. */
const plainGit = /^GIT_(?:(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL|DATE)|SSL_CAINFO)$/;

const fixed = {
  GIT_TERMINAL_PROMPT: "0",
  GIT_PAGER: "cat",
  PAGER: "cat",
  DEBIAN_FRONTEND: "noninteractive",
  // A folder that looks like a bare repository, as a clone may bring, is none; and no repository names a program for `git status`.
  GIT_CONFIG_COUNT: "2",
  GIT_CONFIG_KEY_0: "safe.bareRepository",
  GIT_CONFIG_VALUE_0: "explicit",
  GIT_CONFIG_KEY_1: "core.fsmonitor",
  GIT_CONFIG_VALUE_1: "false",
};

/** An empty or relative entry would let a folder that the model can write to decide what `git` means. */
function withoutRelative(path = ""): string {
  const entries = path.split(delimiter).filter(isAbsolute);
  return entries.length > 0 ? entries.join(delimiter) : "/usr/local/bin:/usr/bin:/bin";
}

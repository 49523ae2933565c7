import type { Finding } from "../finding.ts";
import { cutWord } from "../parse-options.ts";
import type { SimpleCommand, Word } from "../simple-command.ts";
import { isPlainCommand } from "./plain-command.ts";

/** Loaded into every program that starts. */
const loaded =
  /^(?:LD_PRELOAD|LD_AUDIT|LD_LIBRARY_PATH|DYLD_INSERT_LIBRARIES|DYLD_LIBRARY_PATH|DYLD_FRAMEWORK_PATH|BASH_ENV|ENV|PROMPT_COMMAND|PS0|PS4|PYTHONSTARTUP|PYTHONINSPECT|PYTHONHOME|PYTHONWARNINGS|PERL5OPT|PERL5DB|PERL5LIB|RUBYOPT|RUBYLIB|GCONV_PATH|LESSOPEN|LESSCLOSE|IFS|SHELLOPTS|BASHOPTS|BASH_FUNC_.*|GIT_EXEC_PATH|GIT_TEMPLATE_DIR|GIT_CONFIG_PARAMETERS|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS|ZDOTDIR|HOSTALIASES|LOCPATH|NLSPATH|TERMCAP|OPENSSL_CONF|OPENSSL_ENGINES|PIP_INDEX_URL|PIP_EXTRA_INDEX_URL|PIP_TRUSTED_HOST|NPM_CONFIG_REGISTRY|NPM_CONFIG_SCRIPT_SHELL|RUSTC_WRAPPER|CARGO_BUILD_RUSTC_WRAPPER|GOPROXY|SSLKEYLOGFILE|HISTFILE)$/i;
/** Holds a command. */
const commands =
  /^(?:GIT_SSH|GIT_SSH_COMMAND|GIT_EXTERNAL_DIFF|GIT_PAGER|GIT_EDITOR|GIT_SEQUENCE_EDITOR|GIT_ASKPASS|GIT_PROXY_COMMAND|SSH_ASKPASS|SUDO_ASKPASS|PAGER|MANPAGER|SYSTEMD_PAGER|PSQL_PAGER|BAT_PAGER|DELTA_PAGER|EDITOR|VISUAL|SUDO_EDITOR|FCEDIT|BROWSER|PSQL_EDITOR|RSYNC_RSH|CVS_RSH|HGEDITOR|SVN_EDITOR|SVN_SSH|NPM_CONFIG_EDITOR|KUBE_EDITOR|MAKESHELL|TAR_OPTIONS)$/;

export function judgeAssignments(command: SimpleCommand): Finding[] {
  const findings: Finding[] = [];
  for (const { name, value } of [...command.assignments, ...findExports(command)]) {
    if (isDangerous(name, value)) {
      findings.push({
        verdict: "danger",
        rule: "environment.hijack",
        reason: `The variable ${name} makes other programs run code.`,
        command: command.source,
      });
    }
  }
  return findings;
}

const historyReason = "It keeps the shell's history from being written, or deletes it.";

/** `unset HISTFILE`, `set +o history`, `HISTSIZE=0`: what was run is not to be found afterwards. */
export function judgeHistory({ name, words, assignments, source }: SimpleCommand): Finding[] {
  const texts = words.slice(1).map((word) => word.text);
  const hides =
    (/^(?:unset|typeset|declare)$/.test(name) &&
      texts.some((text) => /^HIST(?:FILE|SIZE|FILESIZE|CMD)$/.test(text)) &&
      name === "unset") ||
    (name === "set" &&
      texts.some(
        (text, index) =>
          (text === "+o" && texts[index + 1] === "history") ||
          text === "+ohistory" ||
          (/^-[A-Za-z]*o$/.test(text) && texts[index + 1] === "nohistory"),
      )) ||
    (/^(?:setopt|unsetopt)$/.test(name) &&
      texts.some(
        (text) =>
          historyOption.test(text.toLowerCase().replaceAll("_", "")) &&
          (name === "unsetopt") !== text.toLowerCase().startsWith("no"),
      )) ||
    (name === "shopt" && texts[0]?.startsWith("-u") === true && texts.includes("histappend")) ||
    (name === "fc" && texts[0] === "-p") ||
    (name === "history" && /^(?:clear|delete|-c|-d)/.test(texts[0] ?? "")) ||
    (name === "set" && texts.some((text) => text === "fish_history"));
  const variables = [...assignments, ...findExports({ name, words } as SimpleCommand)];
  const empties = variables.some(({ name: variable, value }) => {
    const text = value.text.trim();
    if (variable === "HISTSIZE" || variable === "HISTFILESIZE" || variable === "SAVEHIST")
      return text === "0" || text === "";
    if (variable === "HISTFILE") return text === "" || /^\/(?:dev\/null|tmp\/|dev\/shm\/)/.test(text);
    return variable === "HISTIGNORE" && /(?:^|:)\*(?:$|:)/.test(text);
  });
  if (!hides && !empties) return [];
  return [{ verdict: "danger", rule: "history.hidden", reason: historyReason, command: source }];
}

const historyOption = /^(?:no)?(?:incappendhistory|appendhistory|sharehistory|histappend|histsavebycopy)$/;

/** `export A=1 B=2`, `declare -x A=1`. */
function findExports({ name, words }: SimpleCommand): { name: string; value: Word }[] {
  if (!/^(?:export|declare|typeset|readonly|local|setenv|set)$/.test(name)) return [];
  if (name === "setenv" || (name === "set" && words[1]?.text === "-gx")) {
    const offset = name === "setenv" ? 1 : 2;
    const value = words[offset + 1];
    return value === undefined ? [] : [{ name: words[offset]!.text, value }];
  }
  return words.slice(1).flatMap((word) => {
    const equals = word.prefix.indexOf("=");
    if (equals <= 0) return [];
    return [{ name: word.prefix.slice(0, equals).replace(/\+$/, ""), value: cutWord(word, equals + 1) }];
  });
}

function isDangerous(name: string, value: Word): boolean {
  const text = value.text.trim();
  if (name === "PATH") return hijacksPath(value);
  if (name === "NODE_OPTIONS")
    return /(?:^|\s)(?:-r|--require|--import|--loader|--experimental-loader|--env-file|--eval|-e)(?:[\s=]|$)/.test(
      text,
    );
  if (name === "PYTHONPATH" || name === "NODE_PATH" || name === "CLASSPATH") return false;
  if (/^GIT_CONFIG_(?:GLOBAL|SYSTEM)$/.test(name)) return text !== "/dev/null" && text !== "";
  // Settings of git one by one; commands get some from the start, which keep a repository from naming programs.
  if (/^GIT_CONFIG_(?:COUNT|(?:KEY|VALUE)_[0-9]+)$/.test(name)) return true;
  if (text === "") return false;
  if (name === "IFS")
    return value.kind === "dynamic" || /[A-Za-z0-9/]{1}/.test(text.replace(/^\\[nt]+$/, "").replace(/^[,:;|=/-]$/, ""));
  if (name === "HISTFILE") return text === "/dev/null";
  if (name === "ENV") return /[/.]/.test(text);
  if (name === "PS4" || name === "PS0") return /[`]|\$\(/.test(text);
  if (name === "PYTHONWARNINGS") return text.includes("antigravity") || text.includes("webbrowser");
  if (name === "GOPROXY") return !/^(?:direct|off|https:\/\/proxy\.golang\.org(?:,direct)?)$/.test(text);
  if (name === "RUSTC_WRAPPER") return !/^(?:.*\/)?s?ccache$/.test(text);
  if (/^(?:PIP_INDEX_URL|NPM_CONFIG_REGISTRY)$/i.test(name))
    return !/^https:\/\/(?:pypi\.org|registry\.npmjs\.org)/.test(text);
  if (/^(?:JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS)$/.test(name))
    return /-(?:javaagent|agentlib|agentpath|XX:OnOutOfMemoryError|XX:OnError)/.test(text);
  if (/^(?:DYLD_|LD_)LIBRARY_PATH$/.test(name)) return /^(?:\.|\/tmp|\/dev\/shm|\/var\/tmp)(?:\/|:|$)/.test(text);
  if (/^(?:PERL5LIB|RUBYLIB)$/.test(name)) return /^\/(?:tmp|dev\/shm|var\/tmp)/.test(text);
  if (/^(?:RUBYOPT|PERL5OPT)$/.test(name)) return /-[rMmIe]/.test(text);
  if (loaded.test(name)) return true;
  if (!commands.test(name)) return false;
  return value.kind === "dynamic" ? /[`]|\$\(/.test(text) : !isPlainCommand(text.replace(/^\/usr\/bin\/|^\/bin\//, ""));
}

/** A folder that anyone can write to stands before the system's own. */
function hijacksPath(value: Word): boolean {
  const first = value.text.split(":")[0]!;
  if (value.text !== "" && /^(?:\/tmp|\/var\/tmp|\/dev\/shm|\.\.?$|\.\.?\/?$)/.test(first)) return true;
  return first === "" && value.text.length > 1 && !value.text.includes("$");
}

import { cutWord, optionTable, type ParsedOptions } from "../parse-options.ts";
import { locate } from "../paths.ts";
import type { Word } from "../simple-command.ts";
import { isPlainCommand } from "./plain-command.ts";
import type { Rule, Subject } from "./command-rule.ts";

/** Keys whose value git hands to a shell, or that tell it where programs and other settings are. */
const commandKeys =
  /^(?:core\.(?:fsmonitor|pager|editor|sshcommand|gitproxy|askpass|alternaterefscommand)|sequence\.editor|diff\.external|diff\..+\.(?:command|textconv)|(?:diff|merge)tool\..+\.(?:cmd|path)|merge\..+\.driver|filter\..+\.(?:clean|smudge|process)|credential(?:\..+)?\.helper|gpg(?:\..+)?\.program|gpg\.ssh\.defaultkeycommand|pager\..+|man\..+\.(?:cmd|path)|browser\..+\.(?:cmd|path)|web\.browser|trailer\..+\.(?:command|cmd)|sendemail\..*(?:cmd|smtpserver)|interactive\.difffilter|tar\..+\.command|guitool\..+\.cmd|remote\..+\.(?:uploadpack|receivepack|vcs)|uploadpack\.packobjectshook|hook\..+\.command|difftool\.cmd|submodule\..+\.update)$/;
const placeKeys =
  /^(?:core\.(?:hookspath|worktree|attributesfile)|init\.templatedir|include\.path|includeif\..+\.path|url\..+\.(?:insteadof|pushinsteadof)|protocol\.allow|protocol\..+\.allow|http\..*sslverify|http\.sslverify|safe\.bareRepository)$/;
const helpers = new Set(["store", "cache", "osxkeychain", "manager", "manager-core", "libsecret", "wincred"]);

/** `git config KEY VALUE` with a key that makes git run something. */
export function findGitConfig({ options, place }: Subject): boolean | "unknown" {
  if (options.has("get", "get-all", "get-regexp", "list", "unset", "unset-all", "edit")) return false;
  const operands = options.operands[0]?.text === "set" ? options.operands.slice(1) : options.operands;
  const [key, value] = operands;
  if (key === undefined || value === undefined || ["get", "unset", "list"].includes(key.text)) return false;
  if (key.kind === "dynamic") return "unknown";
  const file = options.value("file");
  if (options.has("system") || (file !== undefined && ["system", "protected"].includes(locate(file, place))))
    return true;
  return isDangerousSetting(key.text, value);
}

/** One `key=value` as `-c` takes it. */
function isDangerousPair(word: Word): boolean {
  const equals = word.prefix.indexOf("=");
  if (equals < 0) return word.kind === "dynamic";
  return isDangerousSetting(word.text.slice(0, equals), cutWord(word, equals + 1));
}

function isDangerousSetting(rawKey: string, value: Word): boolean {
  const key = rawKey.toLowerCase();
  const text = value.text.trim();
  if (key.startsWith("alias.")) return text.startsWith("!") || value.kind === "dynamic";
  if (placeKeys.test(key))
    return !(key.startsWith("core.hookspath") && (text === "/dev/null" || text === "")) && !isMildPlace(key, text);
  if (!commandKeys.test(key)) return false;
  if (value.kind === "dynamic") return true;
  if (/^(?:true|false|yes|no|on|off|[01])?$/i.test(text)) return false;
  if (key.endsWith(".helper")) return !helpers.has(text.split(" ")[0]!) || /[;&|`$!<>]/.test(text);
  if (key.startsWith("submodule.")) return text.startsWith("!");
  return !isPlainCommand(text);
}

function isMildPlace(key: string, text: string): boolean {
  if (key.startsWith("http.")) return text !== "false" && text !== "0";
  if (key.startsWith("protocol.")) return text !== "always";
  return false;
}

const execOptions = optionTable(
  "u|upload-pack= exec= receive-pack= c|config= template= O|open-files-in-pager=? x|extcmd= remote=",
);

/** Settings and options of a single git command that make it start another program. */
export const gitExecRules: readonly Rule[] = [
  {
    id: "git.exec-setting",
    programs: "git",
    globals: optionTable("C= c= git-dir= work-tree= namespace= exec-path=? config-env= attr-source=", {
      stopsAtOperand: true,
    }),
    reason: "A setting makes git start another program.",
    finds: ({ globals }) =>
      globals.values("c").some(isDangerousPair) ||
      globals.values("config-env").some((word) => isDangerousPair({ ...word, kind: "dynamic" })) ||
      globals.values("exec-path").length > 0,
  },
  {
    id: "git.exec-option",
    programs: "git",
    subcommand: "clone|fetch|pull|ls-remote|archive|push|fetch-pack|send-pack|submodule|difftool|grep|init",
    globals: optionTable("C= c= git-dir= work-tree= namespace= exec-path=? config-env= attr-source=", {
      stopsAtOperand: true,
    }),
    options: execOptions,
    reason: "An option makes git start another program.",
    finds: ({ options, command }) => startsProgram(options, command.words),
  },
  {
    id: "git.remote-helper",
    programs: "git",
    reason: "The address makes git start another program.",
    finds: ({ words }) => words.some((word) => /(?:^|=|\s)(?:ext|fd)::|^\w+:\/\/-/.test(word.text)),
  },
];

function startsProgram(options: ParsedOptions, words: readonly Word[]): boolean {
  const subcommand = words.some((word) => word.text === "difftool");
  if (options.has("exec", "receive-pack") || options.values("template").length > 0) return true;
  const pack = options.value("upload-pack");
  // `git fetch -u` and `git push -u` have nothing to do with the pack program.
  if (pack !== undefined && words.some((word) => word.text.startsWith("--upload-p") || word.text === "clone"))
    return true;
  if (words.some((word) => word.text.startsWith("--open-files-in-pager") || /^-O./.test(word.text))) return true;
  if (subcommand && options.values("extcmd").some((word) => !isPlainCommand(word.text))) return true;
  return (
    words.some((word) => word.text === "clone" || word.text === "submodule") &&
    options.values("config").some(isDangerousPair)
  );
}

import { optionTable, parseOptions } from "../../parse-options.ts";
import type { Input, SimpleCommand, Word } from "../../simple-command.ts";
import { dynamic, literal, maxCommands } from "../scope.ts";
import { joinTexts, type Inner } from "../inner.ts";

type Special = (command: SimpleCommand) => Inner[];

/** Wrappers whose arguments follow no common pattern. */
export const specialWrappers: ReadonlyMap<string, Special> = new Map<string, Special>(
  Object.entries({
    xargs: unwrapXargs,
    parallel: unwrapParallel,
    find: (command) => unwrapExec(command, /^-(?:exec|execdir|ok|okdir)$/),
    gfind: (command) => unwrapExec(command, /^-(?:exec|execdir|ok|okdir)$/),
    fd: (command) => unwrapExec(command, /^(?:-[a-zA-Z]*[xX]|--exec(?:-batch)?)$/),
    fdfind: (command) => unwrapExec(command, /^(?:-[a-zA-Z]*[xX]|--exec(?:-batch)?)$/),
    git: unwrapGit,
    capsh: unwrapCapsh,
    bwrap: unwrapBubblewrap,
    "start-stop-daemon": unwrapDaemon,
    trap: unwrapTrap,
    compgen: (command) => textsAfter(command, /^-C$/),
    complete: (command) => textsAfter(command, /^-[CF]$/),
    bind: (command) => textsAfter(command, /^-x$/).map(({ text }) => ({ kind: "text", text: afterColon(text) })),
    gcc: unwrapCompiler,
    cc: unwrapCompiler,
    "g++": unwrapCompiler,
    cmd: unwrapPrompt,
    "cmd.exe": unwrapPrompt,
    cmake: unwrapCmake,
    forfiles: (command) => textsAfter(command, /^[-/][cC]$/),
  } satisfies Record<string, Special>),
);

const xargsOptions = optionTable(
  "0|null a|arg-file= d|delimiter= E= e|eof=? I= i|replace=? J= R= S= L= max-lines=? l=? n|max-args= P|max-procs= o|open-tty p|interactive r|no-run-if-empty s|max-chars= t|verbose x|exit show-limits process-slot-var=",
  { stopsAtOperand: true },
);

function unwrapXargs({ words, input }: SimpleCommand): Inner[] {
  const options = parseOptions(words.slice(1), xargsOptions);
  const command = options.operands.length > 0 ? options.operands : [literal("echo")];
  const place =
    options.value("I")?.text ??
    options.value("J")?.text ??
    (options.has("i") ? (options.value("i")?.text ?? "{}") : null);
  if (place !== null)
    return readItems(input, "line").map((item) => ({
      kind: "words",
      words: command.map((word) => fill(word, place, item)),
    }));
  const items = options.has("a") ? [dynamic("…")] : readItems(input, options.has("0", "d") ? "none" : "word");
  return [{ kind: "words", words: [...command, ...items] }];
}

/** The arguments that come from stdin; a single unknown one stands for all that are not known. */
function readItems(input: Input, by: "line" | "word" | "none"): Word[] {
  if (input.kind !== "text" || by === "none") return [{ ...dynamic("…"), isSplit: true }];
  const items = input.text.split(by === "line" ? "\n" : /\s+/).filter((item) => item !== "");
  const isPlain = items.length <= 64 && (items.length > 0 || by === "word") && !/['"\\]/.test(input.text);
  return isPlain ? items.map((text) => literal(text.trim())) : [{ ...dynamic("…"), isSplit: true }];
}

function fill(word: Word, place: string, item: Word): Word {
  const at = word.text.indexOf(place);
  if (at < 0 || place === "") return word;
  if (item.kind === "literal" && word.kind !== "dynamic") return literal(word.text.replaceAll(place, item.text));
  // Inside a longer text it may be read as code again, and must not be taken for a word there.
  const text = word.text === place ? place : word.text.replaceAll(place, "$item");
  return { text, kind: "dynamic", prefix: word.prefix.slice(0, at) };
}

const parallelOptions = optionTable(
  "j|jobs= P= I= a|arg-file= d|delimiter= C|colsep= L= n|N|max-args= S|sshlogin= joblog= results= delay= timeout= retries= halt= tmpdir= tempdir= workdir|wd= tagstring= load= memfree= nice= env= basefile= k|keep-order v|verbose t dry-run bar progress eta u|ungroup line-buffer|lb m X q|quote 0|null will-cite tag pipe block= recend= recstart= shuf plus gnu no-notice citation",
  { stopsAtOperand: true },
);

function unwrapParallel({ words, input }: SimpleCommand): Inner[] {
  const options = parseOptions(words.slice(1), parallelOptions);
  const { operands } = options;
  const at = operands.findIndex(({ text }) => /^:::[:+]*$/.test(text));
  const command = at < 0 ? operands : operands.slice(0, at);
  const items =
    at < 0 ? readItems(input, "line") : operands.slice(at + 1).filter(({ text }) => !/^:::[:+]*$/.test(text));
  if (operands[at]?.text.startsWith("::::")) return [{ kind: "text", text: joinTexts([...command, dynamic("…")]) }];
  return items.flatMap((item): Inner[] => {
    const filled = command.map((word) => fill(word, "{}", item));
    const inner = filled.some((word, n) => word !== command[n]) ? filled : [...filled, item];
    return [
      { kind: "text", text: joinTexts(inner) },
      { kind: "words", words: inner, isGuess: true },
    ];
  });
}

function unwrapExec({ words }: SimpleCommand, starts: RegExp): Inner[] {
  const inners: Inner[] = [];
  // One more than may be gathered is enough to be too many.
  for (let at = 1; at < words.length && inners.length <= maxCommands; at += 1) {
    if (!starts.test(words[at]?.text ?? "")) continue;
    const rest = words.slice(at + 1);
    const end = rest.findIndex(({ text }, n) => text === ";" || (text === "+" && rest[n - 1]?.text.includes("{}")));
    const inner = (end < 0 ? rest : rest.slice(0, end)).map((word) => fill(word, "{}", dynamic("{}")));
    inners.push({ kind: "words", words: inner });
    at += inner.length;
  }
  return inners;
}

const gitOptions = optionTable(
  "C= c= exec-path=? git-dir= work-tree= namespace= config-env= super-prefix= p|paginate P|no-pager bare no-replace-objects literal-pathspecs no-optional-locks",
  { stopsAtOperand: true },
);
const gitCode = optionTable(
  "x|exec= extcmd= tree-filter= index-filter= msg-filter= env-filter= commit-filter= parent-filter= tag-name-filter= recursive q|quiet upload-pack= receive-pack= u=",
);

function unwrapGit({ words }: SimpleCommand): Inner[] {
  const [name, ...rest] = parseOptions(words.slice(1), gitOptions).operands;
  const [first, ...others] = rest;
  if (name?.text === "submodule" && first?.text === "foreach") {
    const { operands } = parseOptions(others, optionTable("recursive q|quiet", { stopsAtOperand: true }));
    return operands.length > 0 ? [{ kind: "text", text: joinTexts(operands) }] : [];
  }
  if (name?.text === "bisect" && first?.text === "run") return [{ kind: "words", words: others }];
  if (!/^(?:rebase|difftool|filter-branch|clone|fetch|pull|push|ls-remote)$/.test(name?.text ?? "")) return [];
  const options = parseOptions(rest, gitCode);
  const names =
    "exec extcmd tree-filter index-filter msg-filter env-filter commit-filter parent-filter tag-name-filter upload-pack receive-pack";
  return names.split(" ").flatMap((option) => options.values(option).map((text): Inner => ({ kind: "text", text })));
}

function unwrapCapsh({ words }: SimpleCommand): Inner[] {
  const at = words.findIndex(({ text }) => text === "--" || text === "==");
  return at < 0 ? [] : [{ kind: "words", words: [literal("bash"), ...words.slice(at + 1)] }];
}

/** Its options take none, one or two values and its command needs no `--`. */
function unwrapBubblewrap({ words }: SimpleCommand): Inner[] {
  let at = 1;
  for (; at < words.length; at += 1) {
    const text = words[at]?.text ?? "";
    if (text === "--") {
      at += 1;
      break;
    }
    if (!text.startsWith("--")) break;
    if (
      /^--(?:(?:ro-|dev-)?bind(?:-try|-data|-fd)?|ro-bind-data|file|bind-data|symlink|setenv|overlay|chmod|add-seccomp-fd)$/.test(
        text,
      )
    )
      at += 2;
    else if (
      /^--(?:args|argv0|userns2?|pidns|uid|gid|hostname|chdir|unsetenv|lock-file|sync-fd|remount-ro|overlay-src|tmp-overlay|ro-overlay|exec-label|file-label|proc|dev|tmpfs|mqueue|dir|seccomp|block-fd|userns-block-fd|info-fd|json-status-fd|cap-add|cap-drop|perms|size|level-prefix)$/.test(
        text,
      )
    )
      at += 1;
  }
  return at < words.length ? [{ kind: "words", words: words.slice(at) }] : [];
}

const daemonOptions = optionTable(
  "S|start K|stop x|exec= a|startas= p|pidfile= u|user= n|name= c|chuid= g|group= d|chdir= r|chroot= b|background m|make-pidfile q|quiet v|verbose t|test o|oknodo s|signal= R|retry= N|nicelevel= k|umask= O|output= C|no-close T|status",
);

function unwrapDaemon({ words }: SimpleCommand): Inner[] {
  const options = parseOptions(words.slice(1), daemonOptions);
  const program = options.value("a") ?? options.value("x");
  return program ? [{ kind: "words", words: [program, ...options.operands] }] : [];
}

function unwrapTrap({ words }: SimpleCommand): Inner[] {
  const [code, signal] = parseOptions(words.slice(1), optionTable("l p P", { stopsAtOperand: true })).operands;
  return code && signal && code.text !== "" && code.text !== "-" ? [{ kind: "text", text: code }] : [];
}

/** `"\C-x": command` */
function afterColon(word: Word): Word {
  const at = word.text.indexOf(":") + 1;
  return { ...word, text: word.text.slice(at), prefix: word.prefix.slice(at) };
}

/** `cmd /c rd /s a` */
function unwrapPrompt({ words }: SimpleCommand): Inner[] {
  const at = words.findIndex(({ text }) => /^\/[ckCK]$/.test(text));
  const rest = at < 0 ? [] : words.slice(at + 1);
  return rest.length === 0 ? [] : [{ kind: "text", text: joinTexts(rest) }];
}

/** The tools that cmake brings along. */
function unwrapCmake({ words }: SimpleCommand): Inner[] {
  const at = words.findIndex(({ text }) => text === "-E");
  const [verb, ...rest] = at < 0 ? [] : words.slice(at + 1);
  if (verb === undefined) return [];
  if (verb.text === "chdir") return [{ kind: "words", words: rest.slice(1) }];
  if (verb.text === "env" || verb.text === "time" || verb.text === "rm")
    return [{ kind: "words", words: [verb, ...rest] }];
  if (verb.text === "remove") return [{ kind: "words", words: [literal("rm"), ...rest] }];
  return verb.text === "remove_directory" ? [{ kind: "words", words: [literal("rm"), literal("-r"), ...rest] }] : [];
}

/** `-wrapper sh,-c,text`: the words with commas between. */
function unwrapCompiler({ words }: SimpleCommand): Inner[] {
  const at = words.findIndex(({ text }) => text === "-wrapper");
  const value = at < 0 ? undefined : words[at + 1];
  return value ? [{ kind: "words", words: value.text.split(",").map(literal) }] : [];
}

function textsAfter({ words }: SimpleCommand, starts: RegExp): { kind: "text"; text: Word }[] {
  const at = words.findIndex(({ text }) => starts.test(text));
  const text = at < 0 ? undefined : words[at + 1];
  return text ? [{ kind: "text", text }] : [];
}

import type { Command } from "unbash";
import { judgeProgram } from "../code/judge-program.ts";
import { onlyShows } from "../rules/previews.ts";
import type { Input, SimpleCommand, Word } from "../simple-command.ts";
import { findWrittenPaths } from "../written-paths.ts";
import { applyBuiltin } from "./apply-builtin.ts";
import { isSettingsPrinter } from "./data-sources.ts";
import { feedFile, feedInput, feedInterpreter, fileKey } from "./feed-interpreter.ts";
import { callFunction } from "./call-function.ts";
import { joinTexts, type Inner } from "./inner.ts";
import { knownOutput } from "./known-output.ts";
import { hasHiddenSubscript, nameOf, readCommand } from "./read-command.ts";
import { addFinding, excerpt, takeStep, type Output, type Scope, type ShellWord } from "./scope.ts";
import { unwrap } from "./wrappers/unwrap.ts";

/** One command with everything that it would start. Returns what it prints, where that is known. */
export function walkCommand(node: Command, scope: Scope): Output {
  if (!takeStep(scope)) return null;
  const { command, values, descriptors } = readCommand(node, scope);
  keepDescriptors(command, descriptors, scope);
  if (command.words.length === 0) for (const [name, value] of values) scope.variables.set(name, value);
  const output = runCommand(command, scope);
  applyBuiltin(command, scope, values);
  return output;
}

function runCommand(command: SimpleCommand, scope: Scope): Output {
  if (!takeStep(scope)) return null;
  gather(command, scope);
  // `$(<file)` is what the file holds.
  const bare = command.redirects.some(({ operator }) => operator === "<") ? null : "";
  const output = command.words.length === 0 ? bare : runProgram(command, scope);
  return keepWritten(command, output, scope);
}

/** The redirects of a compound command, as a command without a program. */
export function runRedirects(command: SimpleCommand, output: Output, scope: Scope): Output {
  gather(command, scope);
  return keepWritten(command, output, scope);
}

function gather(command: SimpleCommand, scope: Scope): void {
  const { commands, place, seen } = scope.gathered;
  const key = [command.source, ...command.words.map(({ text }) => text)].join("\u0000");
  if (!scope.isRepeat || !seen.has(key)) commands.push(command);
  seen.add(key);
  for (const { command: source, ...finding } of judgeProgram(command, place)) addFinding(scope, finding, source);
  judgeShape(command, scope);
}

function runProgram(command: SimpleCommand, scope: Scope): Output {
  const inside: Scope = { ...scope, depth: scope.depth + 1, via: [...scope.via, command.name], input: command.input };
  const { name, words } = command;
  if (scope.gathered.functions.has(name)) return callFunction(command, scope);
  const copied = words[0]?.text.includes("/") ? scope.gathered.programs.get(fileKey(words[0].text)) : undefined;
  if (copied !== undefined && copied !== name) {
    const program = { text: copied, kind: "literal", prefix: copied } as const;
    return runInner({ kind: "words", words: [program, ...words.slice(1)] }, command, inside);
  }
  if (name === "eval") return evaluate(command, inside, scope);
  if (name === "source" || name === ".") return includeFile(command, inside);
  if (name === "alias") for (const word of words.slice(1)) defineAlias(word, inside);
  const fed = feedInterpreter(command, { ...scope, depth: scope.depth + 1, input: command.input });
  if (onlyShows(command)) return fed;
  const unwrapped = unwrap(command, (path) => scope.gathered.files.get(fileKey(path)) ?? undefined);
  if (unwrapped?.privilege !== undefined) {
    addFinding(scope, { verdict: "danger", rule: "privilege.other-user", reason: unwrapped.privilege }, command.source);
  }
  const outputs = (unwrapped?.inners ?? []).map((inner) => runInner(inner, command, inside));
  if (outputs.length === 1) return outputs[0] ?? null;
  if (words[0]?.text.includes("/")) feedFile(words[0], "shell", { command, scope: inside });
  return fed ?? knownOutput(command);
}

function runInner(inner: Inner, outer: SimpleCommand, scope: Scope): Output {
  if (inner.kind === "text") return runText(inner.text, scope);
  const [first] = inner.words;
  const assignments = inner.assignments ?? [];
  // `docker run image -c …`: arguments of a program that is not named.
  if (first?.kind === "literal" && first.text.startsWith("-")) return null;
  if (!first && assignments.length === 0) return null;
  const command: SimpleCommand = {
    name: nameOf(first),
    words: inner.words,
    assignments: [...outer.assignments, ...assignments],
    redirects: outer.name === "exec" ? outer.redirects : [],
    input: outer.name === "xargs" || outer.name === "parallel" ? { kind: "none" } : outer.input,
    source: excerpt(sourceOf(inner.words, scope)),
    via: scope.via,
    substitutions: outer.substitutions,
  };
  if (!first) return null;
  return inner.isGuess ? guess(command, scope) : runCommand(command, scope);
}

/** As it was written, where all of it was. */
function sourceOf(words: readonly ShellWord[], { source }: Scope): string {
  const [from, to] = [words[0]?.from, words.findLast((word) => word.to !== undefined)?.to];
  return from !== undefined && to !== undefined && to > from
    ? source.slice(from, to)
    : words.map(({ text }) => text).join(" ");
}

/** A reading that may be wrong counts only where it is danger; `sh -c TEXT` is hardly anything else than it seems. */
function guess(command: SimpleCommand, scope: Scope): null {
  const { findings, commands } = scope.gathered;
  const [before, length] = [findings.length, commands.length];
  runCommand(command, scope);
  const isSure = /^(?:ba|da|k|z|a)?sh$/.test(command.name) && command.words.some(({ text }) => /^-[a-z]*c$/.test(text));
  const counting = findings
    .slice(before)
    .filter(({ verdict }) => verdict === "danger" || isSure || scope.gathered.isFull);
  findings.splice(before, findings.length, ...counting);
  if (counting.length === 0) commands.splice(length);
  return null;
}

function runText(text: ShellWord, scope: Scope): Output {
  if (text.kind === "dynamic" && text.isTainted) {
    const reason = "It runs the output of a command as code.";
    addFinding(scope, { verdict: "unknown", rule: "interpreter.generated", reason }, excerpt(text.text));
  }
  return scope.walker.walkText(text.text, { ...scope, variables: scope.variables.fork() });
}

function evaluate(command: SimpleCommand, inside: Scope, scope: Scope): Output {
  const words = command.words[1]?.text === "--" ? command.words.slice(2) : command.words.slice(1);
  if (words.length === 0) return "";
  const code = joinTexts(words);
  const printed = /^"?\$\((.*)\)"?$|^`(.*)`$/s.exec(code.text);
  if (code.kind === "dynamic" && isSettingsPrinter((printed?.[1] ?? printed?.[2] ?? "").trim())) return null;
  if (code.kind !== "dynamic" || (code as ShellWord).isTainted !== true)
    return scope.walker.walkText(code.text, inside);
  const isDownload = command.substitutions.some(({ name }) => /^(?:curl|wget|nc|ncat|fetch)$/.test(name));
  const reason = isDownload ? "It runs what it downloads as code." : "It runs the output of a command as code.";
  addFinding(
    scope,
    {
      verdict: isDownload ? "danger" : "unknown",
      rule: isDownload ? "interpreter.download" : "interpreter.generated",
      reason,
    },
    command.source,
  );
  return scope.walker.walkText(code.text, inside);
}

function includeFile(command: SimpleCommand, inside: Scope): Output {
  const file: ShellWord | undefined = command.words[command.words[1]?.text === "--" ? 2 : 1];
  if (!file) return null;
  if (file.process) return feedInput(file.process, "shell", { command, scope: inside });
  if (/^\/(?:dev\/(?:stdin|fd\/0)|proc\/self\/fd\/0)$/.test(file.text))
    return feedInput(command.input, "shell", { command, scope: inside });
  return feedFile(file, "shell", { command, scope: inside });
}

/** Counts as it stands, and again with the arguments of each use. */
function defineAlias(word: Word, scope: Scope): void {
  const [, name, text] = /^([^=]+)=(.*)$/s.exec(word.text) ?? [];
  if (name === undefined || text === undefined) return;
  runText({ ...word, text }, scope);
  const walk = (inside: Scope): Output =>
    inside.walker.walkText(`${text} "$@"`, { ...inside, depth: inside.depth + 1 });
  scope.gathered.functions.set(name, { name, scope, walk, walked: new Set([""]) });
}

/** What is wrong with a command whatever its program does. */
function judgeShape(command: SimpleCommand, scope: Scope): void {
  const [first] = command.words;
  if (first && first.kind !== "literal" && !isNamedProgram(first)) {
    const isSelf = /^"?\$\{?0\}?"?$/.test(first.text) && scope.isParallel;
    if (isSelf)
      addFinding(
        scope,
        { verdict: "danger", rule: "process.fork-bomb", reason: "It starts itself again and again." },
        command.source,
      );
    const reason =
      first.kind === "glob"
        ? "Which program it runs depends on the names of files."
        : "Which program it runs is only known when it runs.";
    addFinding(scope, { verdict: "unknown", rule: "shell.dynamic-name", reason }, command.source);
  }
  if (command.redirects.some(({ target }) => /^\/+dev\/+(?:tcp|udp)\//.test(target.prefix))) {
    addFinding(
      scope,
      { verdict: "danger", rule: "network.socket", reason: "It opens a network connection from the shell itself." },
      command.source,
    );
  }
  if (shadows(command)) {
    const reason = "It makes the name of one program stand for another.";
    addFinding(scope, { verdict: "unknown", rule: "shell.shadowed", reason }, command.source);
  }
  if (hasHiddenSubscript(command)) {
    const reason = "A builtin runs the command inside a subscript of its argument.";
    addFinding(scope, { verdict: "unknown", rule: "shell.hidden-substitution", reason }, command.source);
  }
}

/** `"$VENV/bin/python"`: in a folder that is not known, but by its own name. */
function isNamedProgram({ text, isTainted }: ShellWord): boolean {
  return isTainted !== true && /^\$(?:[A-Za-z_]\w*|\{[A-Za-z_]\w*\})(?:\/[\w.@+-]+)+$/.test(text);
}

/** `hash -p /bin/rm ls`, `enable -f ./library.so name` */
function shadows({ name, words }: SimpleCommand): boolean {
  const option = name === "hash" ? /^-\w*p/ : name === "enable" ? /^-\w*[fn]/ : null;
  return option !== null && words.some(({ text }) => option.test(text));
}

/** `exec 3< <(…)` makes `/dev/fd/3` a file with that content; `exec < <(…)` is what all that follows reads. */
function keepDescriptors({ name, words, input }: SimpleCommand, own: ReadonlyMap<number, Input>, scope: Scope): void {
  const { files } = scope.gathered;
  const isForAll = name === "exec" && words.length === 1 && input !== scope.input;
  for (const [descriptor, source] of isForAll ? [...own, [0, input] as const] : own) {
    const key = fileKey(`/dev/fd/${descriptor}`);
    if (source.kind === "text") files.set(key, source.text);
    else if (source.kind === "commands" || source.kind === "dynamic") files.set(key, null);
    else files.delete(key);
  }
}

/** Remembers what goes into files, so that running them later is not running something unknown. */
function keepWritten(command: SimpleCommand, output: Output, scope: Scope): Output {
  const { files } = scope.gathered;
  const isUseful = output !== null || command.name !== "";
  if (command.name === "tee" && isUseful) {
    const text = command.input.kind === "text" ? command.input.text : null;
    for (const { text: path } of command.words.slice(1)) if (!path.startsWith("-")) files.set(fileKey(path), text);
  }
  if (/^(?:cp|install|mv|ln|dd)$/.test(command.name)) {
    keepCopied(command, files);
    keepProgram(command, scope);
  }
  // Somebody else may write into it at any time.
  if (command.name === "mkfifo")
    for (const { text } of command.words.slice(1)) if (!text.startsWith("-")) files.set(fileKey(text), null);
  const target = command.redirects.findLast(
    ({ operator, fd }) => /^(?:&?>>?|>\|)$/.test(operator) && (fd === null || fd === 1),
  );
  if (!target) return output;
  const key = fileKey(target.target.text);
  const isDevice = target.target.text.startsWith("/dev/");
  const before = target.operator.endsWith(">>") ? (files.get(key) ?? "") : "";
  if (!isDevice) files.set(key, output === null ? null : before + output);
  return "";
}

/** `cp /bin/rm ./x`, `ln -s "$(which rm)" x`: by whatever name it is called, it is that program. */
function keepProgram(command: SimpleCommand, { gathered: { programs } }: Scope): void {
  const isLookedUp = command.substitutions.some(({ name }) => /^(?:which|command|type|whereis)$/.test(name));
  const operands = command.words.slice(1).filter(({ text }) => !text.startsWith("-"));
  const target = operands.at(-1);
  for (const { text } of operands.slice(0, -1)) {
    const name =
      /^(?:\/usr)?(?:\/local)?\/s?bin\/([^/]+)$/.exec(text)?.[1] ??
      (isLookedUp && /^[\w.+-]+$/.test(text) ? text : programs.get(fileKey(text)));
    if (name === undefined || target === undefined) continue;
    programs.set(fileKey(target.text), name);
    // Into a folder it keeps its name.
    if (/\/$|^\.{1,2}$/.test(target.text)) programs.set(name, name);
  }
}

/** The copy of a file whose content is known holds the same; so does that of `<( )`. */
function keepCopied(command: SimpleCommand, files: Map<string, string | null>): void {
  const sources: readonly ShellWord[] = command.words.slice(1);
  const readsInput =
    command.name === "dd"
      ? !sources.some(({ text }) => text.startsWith("if="))
      : sources.some(({ text }) => /^\/dev\/(?:stdin|fd\/0)$/.test(text));
  const process = readsInput ? command.input : sources.find((word) => word.process !== undefined)?.process;
  const known = sources.find(({ text }) => files.has(fileKey(text)));
  const content = process ? (process.kind === "text" ? process.text : null) : known && files.get(fileKey(known.text));
  if (content === undefined) return;
  for (const { text } of findWrittenPaths(command)) files.set(fileKey(text), content);
}

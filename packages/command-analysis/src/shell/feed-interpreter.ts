import { findInterpreter, type Interpreter, type Language } from "../code/interpreters.ts";
import { judgeCode, shellTextsIn } from "../code/judge-code.ts";
import { findLoadedFiles } from "../code/loaded-files.ts";
import type { Input, SimpleCommand, Word } from "../simple-command.ts";
import { decoders, downloaders, networkPrograms } from "./data-sources.ts";
import { addFinding, type Output, type Scope, type ShellWord } from "./scope.ts";

/** Follows code into the program that would run it: from its arguments, its stdin, or a file that the same text wrote. */
export function feedInterpreter(command: SimpleCommand, scope: Scope): Output {
  const interpreter = findInterpreter(command) ?? findRemoteShell(command);
  if (!interpreter) {
    judgeEscapes(command, scope);
    return null;
  }
  const { language } = interpreter;
  if (language === "shell") for (const file of findLoadedFiles(command)) feedFile(file, language, { command, scope });
  let output: Output = null;
  for (const code of interpreter.codes) output = feedCode(code, language, { command, scope });
  const script: ShellWord | null = interpreter.script;
  if (script?.process) return feedInput(script.process, language, { command, scope });
  if (script && isStdin(script)) return feedInput(command.input, language, { command, scope });
  if (script) return feedFile(script, language, { command, scope });
  if (interpreter.readsStdin) return feedInput(command.input, language, { command, scope });
  return output;
}

/** Editors and calculators run commands that stand in what they read. */
function judgeEscapes(command: SimpleCommand, scope: Scope): void {
  const { name, words, input } = command;
  const reads =
    /^(?:ed|red|ex|dc|m4|gdb|gnuplot)$/.test(name) ||
    (/^g?make$/.test(name) && words.some(({ text }) => /^(?:-|-f-|\/dev\/stdin)$/.test(text)));
  if (!reads || input.kind !== "commands" || !input.commands.some((source) => networkPrograms.has(source.name))) return;
  report(command, scope, {
    verdict: "danger",
    rule: "interpreter.download",
    reason: "It runs what it downloads as code.",
  });
}

interface Fed {
  readonly command: SimpleCommand;
  readonly scope: Scope;
}

/** Without a command ssh and parallel start a shell, and at and batch keep what they read for a shell to run later. */
function findRemoteShell({ name, words }: SimpleCommand): Interpreter | null {
  const isShell =
    name === "batch" ||
    name === "at" ||
    (name === "parallel" && !words.slice(1).some(({ text }) => /^[^-]|^:::/.test(text))) ||
    (name === "ssh" && words.filter(({ text }) => !text.startsWith("-")).length === 2);
  return isShell ? { language: "shell", code: null, codes: [], script: null, readsStdin: true } : null;
}

function isStdin({ text }: Word): boolean {
  return text === "-" || text === "/dev/stdin" || text === "/dev/fd/0" || text === "/proc/self/fd/0";
}

/** Languages in which a program, not a query or an edit, is written. */
const general = new Set<Language>([
  "shell",
  "python",
  "javascript",
  "perl",
  "ruby",
  "php",
  "lua",
  "powershell",
  "applescript",
]);

function feedCode(code: ShellWord, language: Language, { command, scope }: Fed): Output {
  const isTainted = code.kind === "dynamic" && (code.isTainted === true || /\$\(|`|^[^$]*$/.test(code.text));
  if (isTainted && general.has(language) && (language === "shell" || code.prefix === "")) {
    const isNetwork = command.substitutions.some(({ name }) => networkPrograms.has(name));
    if (isNetwork)
      report(command, scope, {
        verdict: "danger",
        rule: "interpreter.download",
        reason: "It runs what it downloads as code.",
      });
    else
      report(command, scope, {
        verdict: "unknown",
        rule: "interpreter.generated",
        reason: "It runs the output of a command as code.",
      });
  }
  return language === "shell"
    ? runShell(code.text, command, { scope, code })
    : runTexts(language, code.text, { command, scope });
}

export function feedInput(input: Input, language: Language, { command, scope }: Fed): Output {
  if (input.kind === "text" || input.kind === "dynamic") return feedText(input.text, language, { command, scope });
  if (input.kind === "file") return feedFile(input.path, language, { command, scope });
  if (input.kind === "commands") judgeSource(input.commands, language, { command, scope });
  return input.kind === "none" ? feedFile(stdin, language, { command, scope }) : null;
}

const feeders = /^(?:find|gfind|fd|fdfind|xargs|gxargs|parallel)$/;
const stdin: Word = { text: "/dev/fd/0", kind: "literal", prefix: "/dev/fd/0" };

function feedText(text: string, language: Language, { command, scope }: Fed): Output {
  if (language === "shell") return runShell(text, command, { scope });
  for (const { rule, verdict, reason } of judgeCode(language, text, scope.gathered.place))
    report(command, scope, { verdict, rule, reason });
  return runTexts(language, text, { command, scope });
}

export function feedFile(path: Word, language: Language, { command, scope }: Fed): Output {
  const text = scope.gathered.files.get(fileKey(path.text));
  if (text === undefined) {
    // `find -exec sh {}`: whatever is found is run.
    if (path.kind === "dynamic" && command.via.some((wrapper) => feeders.test(wrapper)) && general.has(language)) {
      report(command, scope, {
        verdict: "unknown",
        rule: "interpreter.found",
        reason: "It runs every file that another program names.",
      });
    }
    return null;
  }
  if (text === null) {
    report(command, scope, {
      verdict: "unknown",
      rule: "interpreter.generated",
      reason: "It runs a file that the same command makes, with content that is not known.",
    });
    return null;
  }
  return feedText(text, languageOf(text) ?? language, { command, scope });
}

/** By its last part: folders may change on the way, and a file of the same name elsewhere is rarely run. */
export function fileKey(path: string): string {
  const descriptor = /^\/(?:dev|proc\/self)\/fd\/(\d+)$/.exec(path)?.[1];
  if (descriptor !== undefined) return `/dev/fd/${descriptor}`;
  return path.split("/").at(-1) ?? path;
}

function languageOf(text: string): Language | null {
  const first = /^#!\s*\S*?(?:env\s+)?(\w+)[\d.]*\s*(?:\n|$| )/.exec(text)?.[1]?.replace(/\d+$/, "");
  const known: Readonly<Record<string, Language>> = {
    python: "python",
    node: "javascript",
    perl: "perl",
    ruby: "ruby",
    php: "php",
  };
  return first === undefined ? null : (known[first] ?? null);
}

function runShell(text: string, command: SimpleCommand, { scope, code }: { scope: Scope; code?: Word }): Output {
  const variables = scope.variables.fork();
  const at = code ? command.words.indexOf(code) : -1;
  const rest = at < 0 ? [] : command.words.slice(at + 2);
  const own = code ? command.words[at + 1] : undefined;
  variables.setText("0", own ? (own.kind === "literal" ? own.text : null) : null);
  variables.positionals = rest.every(({ kind }) => kind === "literal") ? rest.map((word) => word.text) : null;
  const input: Input = code ? command.input : { kind: "none" };
  return scope.walker.walkText(text, { ...scope, variables, input, via: [...scope.via, command.name] });
}

/** Other languages start programs through a shell too. */
function runTexts(language: Language, text: string, { command, scope }: Fed): null {
  for (const inner of shellTextsIn(language, text)) runShell(inner, command, { scope });
  return null;
}

function judgeSource(sources: readonly SimpleCommand[], language: Language, { command, scope }: Fed): void {
  const names = new Set(sources.map(({ name }) => name));
  if (language === "sql" && sources.some(generatesDanger)) {
    report(command, scope, {
      verdict: "danger",
      rule: "sql.generated",
      reason: "It runs statements that another command makes, and those drop or delete.",
    });
  }
  const has = (set: ReadonlySet<string>) => [...names].some((name) => set.has(name));
  if (has(general.has(language) ? networkPrograms : downloaders)) {
    report(command, scope, {
      verdict: "danger",
      rule: "interpreter.download",
      reason: "It runs what it downloads as code.",
    });
  } else if (!general.has(language)) return;
  else if (has(decoders)) {
    report(command, scope, {
      verdict: "danger",
      rule: "interpreter.decoded",
      reason: "It decodes something and runs the result as code.",
    });
  } else if ([...names].every((name) => name === "cat") && language !== "shell") return;
  else if ([...names].every((name) => name === "echo" || name === "printf")) {
    report(command, scope, {
      verdict: "unknown",
      rule: "interpreter.piped",
      reason: "It runs a text as code that is not known.",
    });
  } else {
    const verdict = language === "shell" ? "danger" : "unknown";
    report(command, scope, {
      verdict,
      rule: "interpreter.piped",
      reason: "It runs the output of another command as code.",
    });
  }
}

/** Prints statements that drop or delete. */
function generatesDanger(source: SimpleCommand): boolean {
  const { name, words, input } = source;
  const texts = words.slice(1).map(({ text }) => text);
  if (/^(?:pg_dump|pg_dumpall|pg_restore|mysqldump|mariadb-dump)$/.test(name))
    return (
      texts.some((text) => /^(?:-[a-z]*c[a-z]*|--clean|--add-drop-database|--add-drop-user)$/.test(text)) ||
      // These begin each table with a DROP unless they are told not to.
      (/^(?:mysqldump|mariadb-dump)$/.test(name) &&
        !texts.some((text) =>
          /^(?:--skip-add-drop-table|--skip-opt|--no-create-info|--compact|-[a-z]*t[a-z]*)$/.test(text),
        ))
    );
  if (texts.some((text) => /^sql(?:flush|clear|reset)$/.test(text))) return true;
  const read = input.kind === "text" || input.kind === "dynamic" ? [input.text] : [];
  return (
    findInterpreter(source)?.language === "sql" &&
    [...texts, ...read].some((text) => /\b(?:drop|truncate|delete\s+from)\b/i.test(text))
  );
}

type Reported = Parameters<typeof addFinding>[1];

function report(command: SimpleCommand, scope: Scope, finding: Reported): void {
  addFinding(scope, finding, command.source);
}

import type { Finding } from "./finding.ts";
import { findSources } from "./find-sources.ts";
import { findInterpreter } from "./interpreters.ts";
import { normalisePath } from "./paths.ts";
import type { Place } from "./place.ts";
import type { SimpleCommand, Word } from "./simple-command.ts";
import { findWrittenPaths } from "./written-paths.ts";

/** Where the content of a file came from. */
type Origin = "downloaded" | "decoded";

/** A file that was fetched or decoded by the same script, and is then run. */
export function judgeWrittenFiles(commands: readonly SimpleCommand[], place: Place): Finding[] {
  const files = new Map<string, Origin>();
  const findings: Finding[] = [];
  for (const command of commands) {
    const ran = findRunFile(command, files, place);
    if (ran !== undefined) findings.push(judgeRun(command, ran));
    for (const [path, file] of findWritten(command, files, place)) files.set(path, file);
  }
  return findings;
}

function judgeRun(command: SimpleCommand, origin: Origin): Finding {
  if (origin === "downloaded") {
    const reason = "It runs a file that it has just fetched from the network.";
    return { verdict: "danger", rule: "remote.download-and-run", reason, command: command.source };
  }
  return {
    verdict: "danger",
    rule: "script.decoded",
    reason: "It runs a file whose content was hidden.",
    command: command.source,
  };
}

const launchers =
  /^(?:\.|source|java|dpkg|rpm|apt|apt-get|dnf|yum|installer|open|xdg-open|msiexec|wine|rundll32|start|insmod|pip|pip3|npm|gdb|ld\.so|ld-linux.*|docker-compose|make|gcc|go|deno|bun|npx|tsx|Rscript)$/;

function findRunFile(command: SimpleCommand, files: ReadonlyMap<string, Origin>, place: Place): Origin | undefined {
  if (files.size === 0) return undefined;
  const find = (word: Word | undefined | null): Origin | undefined =>
    word === undefined || word === null ? undefined : files.get(normalisePath(word, place));
  const own = command.words[0];
  const direct = own !== undefined && own.text.includes("/") ? find(own) : undefined;
  if (direct !== undefined) return direct;
  const interpreter = findInterpreter(command);
  if (interpreter !== null) {
    if (interpreter.language === "sql") return undefined;
    if (interpreter.script !== null) return find(interpreter.script);
    if (interpreter.readsStdin && command.input.kind === "file") return find(command.input.path);
    if (interpreter.readsStdin && command.input.kind === "commands")
      return command.input.commands
        .flatMap(({ words }) => words.slice(1))
        .map(find)
        .find((file) => file !== undefined);
    return undefined;
  }
  if (!launchers.test(command.name)) return undefined;
  return command.words
    .slice(1)
    .map(find)
    .find((file) => file !== undefined);
}

const decoders = /^(?:base64|base32|basenc|xxd|openssl|uudecode|rev|tr|hexdump|gpg|ascii85|qprint)$/;
const downloaders = /^(?:curl|wget|aria2c|fetch|http|https|xh|axel|lwp-download|ftp|scp|sftp|nc|ncat)$/;

function findWritten(command: SimpleCommand, files: ReadonlyMap<string, Origin>, place: Place): [string, Origin][] {
  const redirected = command.redirects
    .filter(({ operator }) => operator.startsWith(">") && operator !== ">&")
    .map(({ target }) => target);
  const targets = [...redirected, ...findWrittenPaths(command)];
  if (/^(?:cp|mv|install|ln)$/.test(command.name)) {
    const source = command.words
      .slice(1)
      .map((word) => files.get(normalisePath(word, place)))
      .find((file) => file !== undefined);
    return source === undefined ? [] : targets.map((word) => [normalisePath(word, place), source]);
  }
  if (
    downloaders.test(command.name) &&
    !(command.name === "scp" && command.words.at(-1)?.text.includes(":") === true)
  ) {
    const names = command.name === "scp" ? [] : [...targets, ...findDownloadedName(command, redirected.length > 0)];
    return names.map((word) => [normalisePath(word, place), "downloaded"]);
  }
  if (targets.length === 0) return [];
  const origin = findOrigin(command);
  return origin === null ? [] : targets.map((word) => [normalisePath(word, place), origin]);
}

/** Where the text that a command prints comes from. */
function findOrigin(command: SimpleCommand): Origin | null {
  const names = [...findSources(command)].map(({ name }) => name);
  if (names.some((name) => downloaders.test(name))) return "downloaded";
  return names.some((name) => decoders.test(name)) ? "decoded" : null;
}

/** `wget URL` and `curl -O URL` name the file after the address. */
function findDownloadedName({ name, words }: SimpleCommand, isRedirected: boolean): Word[] {
  const saves =
    name === "wget"
      ? !isRedirected
      : words.some((word) => /^-[A-Za-z]*O/.test(word.text) || word.text.startsWith("--remote-name"));
  if (!saves && name !== "aria2c" && name !== "axel") return [];
  return words.slice(1).flatMap((word) => {
    if (word.text.startsWith("-") || !word.text.includes("/")) return [];
    const base = word.text
      .replace(/[?#].*$/, "")
      .replace(/\/+$/, "")
      .replace(/^.*\//, "");
    return [{ ...word, text: base, prefix: base }];
  });
}

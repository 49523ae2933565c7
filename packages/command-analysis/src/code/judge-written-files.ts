import type { Finding } from "../finding.ts";
import { findFetched } from "./fetched-files.ts";
import { findSources } from "../find-sources.ts";
import { findInterpreter } from "./interpreters.ts";
import { findLoadedFiles } from "./loaded-files.ts";
import { normalisePath } from "../paths.ts";
import type { Place } from "../place.ts";
import type { SimpleCommand, Word } from "../simple-command.ts";
import { findWrittenPaths } from "../written-paths.ts";

/** Where the content of a file came from. */
type Origin = "downloaded" | "decoded";

interface Origins {
  readonly files: Map<string, Origin>;
  /** Folders that were fetched as a whole. */
  readonly folders: Set<string>;
}

/** A file that was fetched or decoded by the same script, and is then run. */
export function judgeWrittenFiles(commands: readonly SimpleCommand[], place: Place): Finding[] {
  const origins: Origins = { files: new Map(), folders: new Set() };
  const findings: Finding[] = [];
  // Where that is does not matter, only that names stay comparable while the folder changes.
  let current: Place = { ...place, cwd: place.cwd ?? "/workdir" };
  for (const command of commands) {
    const target = command.name === "cd" || command.name === "pushd" ? command.words[1] : undefined;
    if (target?.kind === "literal") current = { ...current, cwd: normalisePath(target, current) };
    const ran = findRunFile(command, origins, current);
    if (ran !== undefined) findings.push(judgeRun(command, ran));
    for (const [path, file] of findWritten(command, origins.files, current)) origins.files.set(path, file);
    const { files, folders } = findFetched(command);
    for (const word of files) origins.files.set(normalisePath(word, current), "downloaded");
    for (const word of [...folders, ...findUnpacked(command, origins.files, current)])
      origins.folders.add(normalisePath(word, current));
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

/** Part of how a project is built, and as well known as make. */
const buildScripts = /(?:^|\/)(?:gradlew|mvnw|configure|autogen\.sh)$/;

function findRunFile(command: SimpleCommand, { files, folders }: Origins, place: Place): Origin | undefined {
  if (files.size === 0 && folders.size === 0) return undefined;
  const find = (word: Word | undefined | null): Origin | undefined =>
    word === undefined || word === null ? undefined : files.get(normalisePath(word, place));
  const findScript = (word: Word | undefined | null): Origin | undefined => {
    if (word === undefined || word === null) return undefined;
    const path = normalisePath(word, place);
    const isFetched = [...folders].some((folder) => path.startsWith(`${folder}/`)) && !buildScripts.test(path);
    return files.get(path) ?? (isFetched ? "downloaded" : undefined);
  };
  const own = command.words[0];
  const direct = own !== undefined && own.text.includes("/") ? findScript(own) : undefined;
  if (direct !== undefined) return direct;
  const loaded = findLoadedFiles(command)
    .map(find)
    .find((file) => file !== undefined);
  if (loaded !== undefined) return loaded;
  const interpreter = findInterpreter(command);
  if (interpreter !== null) {
    if (interpreter.language === "sql") return undefined;
    if (interpreter.script !== null)
      return interpreter.language === "shell" ? findScript(interpreter.script) : find(interpreter.script);
    if (interpreter.readsStdin && command.input.kind === "file") return find(command.input.path);
    if (interpreter.readsStdin && command.input.kind === "commands")
      return command.input.commands
        .flatMap(({ words }) => words.slice(1))
        .map(find)
        .find((file) => file !== undefined);
    return undefined;
  }
  if (command.name === "." || command.name === "source") return findScript(command.words[1]);
  if (!launchers.test(command.name)) return undefined;
  return command.words
    .slice(1)
    .map(find)
    .find((file) => file !== undefined);
}

const unpackers = /^(?:tar|gtar|bsdtar|unzip|7z|7za|7zz|unrar|cpio|pax)$/;

/** Where an archive that was just fetched is unpacked. */
function findUnpacked(command: SimpleCommand, files: ReadonlyMap<string, Origin>, place: Place): Word[] {
  if (!unpackers.test(command.name)) return [];
  const isFetched =
    command.words.slice(1).some((word) => files.get(normalisePath(word, place)) === "downloaded") ||
    findOrigin(command) === "downloaded";
  if (!isFetched) return [];
  const targets = findWrittenPaths(command);
  return targets.length > 0 ? [...targets] : [{ text: ".", kind: "literal", prefix: "." }];
}

const decoders = /^(?:base64|base32|basenc|xxd|openssl|uudecode|rev|tr|hexdump|gpg|ascii85|qprint)$/;
const downloaders = /^(?:curl|wget|aria2c|fetch|http|https|xh|axel|lwp-download|ftp|scp|sftp|nc|ncat)$/;

function findWritten(command: SimpleCommand, files: ReadonlyMap<string, Origin>, place: Place): [string, Origin][] {
  const redirected = command.redirects
    .filter(({ operator }) => operator.includes(">") && operator !== ">&")
    .map(({ target }) => target);
  const targets = [...redirected, ...findWrittenPaths(command)];
  if (/^(?:cp|mv|install|ln)$/.test(command.name)) {
    const source = command.words
      .slice(1)
      .map((word) => files.get(normalisePath(word, place)))
      .find((file) => file !== undefined);
    return source === undefined ? [] : targets.map((word) => [normalisePath(word, place), source]);
  }
  // What these fetch is found by `findFetched`; their last operand may be on the other side.
  if (/^(?:scp|rsync|sftp)$/.test(command.name)) return [];
  if (downloaders.test(command.name)) {
    const names = [...targets, ...findDownloadedName(command, redirected.length > 0)];
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

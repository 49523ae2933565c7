import type { Finding } from "./finding.ts";
import { findSources } from "./find-sources.ts";
import type { SimpleCommand } from "./simple-command.ts";

/** Signals to whatever a list of all processes names. */
export function judgeKills(commands: readonly SimpleCommand[]): Finding[] {
  return commands
    .filter((command) => command.name === "kill" && killsList(command, commands))
    .map(({ source }) => ({
      verdict: "danger",
      rule: "process.kill-all",
      reason: "It ends every process that a list names, and the list is not narrowed down.",
      command: source,
    }));
}

/** Nobody types so many; a range does. */
const mostTargets = 64;

function killsList(command: SimpleCommand, commands: readonly SimpleCommand[]): boolean {
  if (command.words.length > mostTargets || command.words.some(({ text }) => /\/proc|^\{\d+\.\.\d+\}$/.test(text)))
    return true;
  const feeders =
    command.via.includes("xargs") || command.via.includes("parallel")
      ? commands.filter(({ name }) => name === "xargs" || name === "parallel")
      : [];
  const sources = [command, ...feeders]
    .flatMap((feeder) => [...findSources(feeder)])
    .filter(({ name }) => name !== "kill");
  if (sources.some(listsEverything)) return !sources.some(narrows);
  // `for p in $(ps -eo pid=); do kill $p; done`: the loop stands between them.
  return (
    command.words.slice(1).some(({ kind }) => kind === "dynamic") &&
    command.substitutions.length === 0 &&
    commands.some(listsEverything) &&
    commands.some(printsOnlyNumbers) &&
    !commands.some(narrows)
  );
}

function listsEverything({ name, words }: SimpleCommand): boolean {
  const texts = words.slice(1).map(({ text }) => text);
  if (name === "seq") return true;
  if (name === "ls") return texts.some((text) => /^\/proc\/?$/.test(text));
  if (name === "lsof") return texts.some((text) => /^-[a-zA-Z]*t/.test(text)) && texts.includes("/");
  if (name === "pgrep")
    return texts.some(
      (text) => text === "" || /^[.*^$]+$/.test(text) || /^(?:-v|--inverse|-u|-U|--euid|--uid)$/.test(text),
    );
  if (name !== "ps") return false;
  if (texts.some((text) => /^-C|^--ppid|^-p|^--pid|^-t|^--tty|^-q/.test(text))) return false;
  return texts.some((text) => /^-[A-Za-z]*[eAau]|^-[A-Za-z]*U|^--(?:user|User)|^[a-z]*(?:a|x|u|e)[a-z]*$/.test(text));
}

function printsOnlyNumbers(command: SimpleCommand): boolean {
  const { name, words } = command;
  if (/^(?:g|m|n)?awk$|^cut$/.test(name)) return words.some(({ text }) => /print \$\d|^-[a-z]*[fc]/.test(text));
  return name !== "ps" ? listsEverything(command) : words.some(({ text }) => /pid=?$/.test(text));
}

/** A filter that leaves only some of the lines. */
function narrows(command: SimpleCommand): boolean {
  const { name, words } = command;
  const texts = words.slice(1).map(({ text }) => text);
  const patterns = texts.filter((text) => !text.startsWith("-"));
  if (/^(?:e|f|z)?grep$|^rg$|^ag$/.test(name))
    return (
      !texts.some((text) => /^-[a-zA-Z]*v/.test(text)) &&
      words.slice(1).some(({ text, kind }) => kind === "dynamic" || (!text.startsWith("-") && /[A-Za-z]/.test(text)))
    );
  if (/^(?:g|m|n)?awk$/.test(name)) {
    const program = patterns.find((text) => text.includes("{") || text.includes("/")) ?? "";
    return /\/[^/]*[A-Za-z][^/]*\/|==|~|\bif\b/.test(program.replace(/\bNR\s*[=!<>]=?\s*\d+/g, ""));
  }
  if (name === "sed") return patterns.some((text) => /\/[^/]*[A-Za-z][^/]*\//.test(text) && /p/.test(text));
  if (name === "head" || name === "fzf") return true;
  return name === "pgrep" && !listsEverything(command);
}

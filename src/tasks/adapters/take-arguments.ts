import type { TaskOrder } from "../../core/task.ts";
import { refuse } from "./agent-adapter.ts";

/**
 * What of a CLI's command line is not for whoever orders a task. Options in lower case, with dashes between their words;
 * `--mode=yolo` stands for the option with this value only.
 */
export interface ArgumentRules {
  /** The adapter needs them itself, or could not read what comes out: never taken. */
  readonly reserved: readonly string[];
  /** They give the agent more than it has by itself: only where the task bypasses its permission checks. */
  readonly widening: readonly string[];
  /** As those, but left out then: the adapter says the same, and said twice some are an error. */
  readonly bypassing?: readonly string[];
  /** `--mode=plan`: with any other value, known or not, this option widens. */
  readonly harmless?: readonly string[];
  /** Words that make it do something else entirely. */
  readonly commands: readonly string[];
  /** Options of one dash and several letters; others could be several options in one. */
  readonly longShort?: readonly string[];
}

/** The order's arguments as the CLI is to get them. */
function takeArguments(
  agent: string,
  { args, bypassesPermissions }: TaskOrder,
  rules: ArgumentRules,
): readonly string[] {
  const { reserved, commands, longShort = [], bypassing = [], harmless = [] } = rules;
  const widening = [...rules.widening, ...bypassing];
  const limited = new Set(harmless.map(nameOf));
  return args.filter((argument, at) => {
    const shown = JSON.stringify(argument.slice(0, 80));
    if (argument.includes("\0")) refuse(`The argument ${shown} contains a NUL character.`);
    const isOption = argument.startsWith("-");
    const [option, value] = isOption ? [argument, args[at + 1]] : [args[at - 1] ?? "", argument];
    if (isOption) checkOption(option, shown);
    else checkValue(option, value!, shown);
    if (!bypassesPermissions && isWidening(option, value)) refuseWidening(isOption ? option : `${option} ${value}`);
    return !isListed(bypassing, option, value);
  });

  function checkOption(option: string, shown: string): void {
    const name = nameOf(option);
    const isGlued = !name.startsWith("--") && name.length > 2 && !longShort.includes(name);
    if (name === "-" || name === "--" || isGlued || option.startsWith("---")) {
      refuse(`Ambiguous option ${shown}. Write each option separately, with its value as the next argument.`);
    }
    if (reserved.includes(name)) {
      refuse(`${shown} is set by deckhand, which starts ${agent} and reads its output. Omit it.`);
    }
  }

  function checkValue(option: string, value: string, shown: string): void {
    const isBehindOption = option.startsWith("-") && !option.includes("=");
    if (isBehindOption && !commands.includes(value.toLowerCase())) return;
    refuse(
      `${shown} is not an option of ${agent}. Args are options, each followed by its value, such as ["--name", "value"].`,
    );
  }

  function isWidening(option: string, value: string | undefined): boolean {
    const name = nameOf(option);
    if (isListed(widening, option, value) || name.includes("dangerously")) return true;
    return limited.has(name) && hasValue(option, value) && !isListed(harmless, option, value);
  }

  function refuseWidening(shown: string): never {
    return refuse(
      `"${shown.slice(0, 80)}" would let ${agent} do more than its permission checks allow. Omit it, put it in the agent's command ` +
        "in your settings, or start the task with its permission checks off if your settings allow that.",
    );
  }
}

/** A list of words, written as text. */
export function words(...lines: readonly string[]): readonly string[] {
  return lines.join(" ").split(" ");
}

/** `next` is the value where the option has none behind an equals sign. */
function isListed(rules: readonly string[], option: string, next: string | undefined): boolean {
  const name = nameOf(option);
  const at = option.indexOf("=");
  const value = at < 0 ? next : option.slice(at + 1);
  return rules.includes(name) || (value !== undefined && rules.includes(`${name}=${value.trim().toLowerCase()}`));
}

function hasValue(option: string, next: string | undefined): boolean {
  return option.includes("=") || (next !== undefined && !next.startsWith("-"));
}

/**
 * One name for all that a CLI takes for the same option: `--approvalMode=yolo`, `--approval_mode`, `--approval--mode-` and
 * `--approval-mode.x` → `--approval-mode`; `--y` → `-y`. Letters behind one dash keep their case.
 */
function nameOf(option: string): string {
  const [name = ""] = option.split(/[=.]/, 1);
  if (!name.startsWith("--")) return name;
  const letters = name.slice(2);
  if (letters.length === 1) return `-${letters}`;
  const parts = letters
    .replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => `-${letter}`)
    .toLowerCase()
    .split(/[-_]+/);
  return `--${parts.filter((part) => part !== "").join("-")}`;
}

/**
 * Gives the order's arguments as the CLI is to get them. Throws TASK_INVALID with one sentence when the order holds what
 * could become something else on a command line.
 */
export function checkOrder(agent: string, order: TaskOrder, rules: ArgumentRules): readonly string[] {
  if (order.message.trim() === "") refuse(`The message for ${agent} is empty. Say what to do.`);
  checkWord("model", order.model);
  checkWord("session to resume", order.resume);
  for (const argument of order.args) checkArgumentLength(agent, `argument ${argument.slice(0, 20)}…`, argument);
  return takeArguments(agent, order, rules);
}

/** For a CLI that takes a text only as an argument. */
export function checkArgumentLength(agent: string, what: string, text: string): void {
  const bytes = Buffer.byteLength(text);
  if (bytes <= maxArgumentBytes) return;
  refuse(`The ${what} is too long to pass to ${agent} as an argument: ${bytes} bytes (maximum ${maxArgumentBytes}).`);
}

/** For a CLI that takes no longer message, or silently cuts it. */
export function checkMessageLength(agent: string, order: TaskOrder, most: MessageLimit): void {
  const { message } = order;
  const has = most.unit === "bytes" ? Buffer.byteLength(message) : message.length;
  // Pairs of surrogates are one character each; they are counted only where it matters.
  if (has <= most.count || (most.unit === "characters" && Array.from(message).length <= most.count)) return;
  refuse(
    `The message is too long for ${agent}: ${has} ${most.unit} (maximum ${most.count}). Put it in a file and refer to the file.`,
  );
}

interface MessageLimit {
  readonly count: number;
  readonly unit: "bytes" | "characters";
}

/** Linux takes no argument longer than 128 KiB. */
const maxArgumentBytes = 120_000;

/** A name that stands alone on a command line. */
function checkWord(what: string, word: string | null): void {
  if (word === null || (/^[^\s-]\S*$/.test(word) && !word.includes("\0"))) return;
  const shown = JSON.stringify(word.slice(0, 80));
  refuse(`Invalid ${what} ${shown}: expected a name without spaces that does not start with a dash.`);
}

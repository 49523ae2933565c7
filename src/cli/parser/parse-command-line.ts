import { parseArgs } from "node:util";
import { nearest } from "../../core/text.ts";
import { commonOptions, UsageError, type Command, type Invocation, type Option } from "./command.ts";
import { defaultSubcommand } from "../commands.ts";
import { neutralizeLine } from "../terminal/terminal-text.ts";

export type Request =
  | { readonly kind: "run"; readonly command: Command; readonly invocation: Invocation }
  /** Help for one command, for a group of them (`calls`), or for all (empty). */
  | { readonly kind: "help"; readonly topic: string }
  | { readonly kind: "version" };

/** Throws a UsageError whose sentence says what was wrong and what was probably meant. */
export function parseCommandLine(argv: readonly string[], commands: readonly Command[]): Request {
  const agent = find("agent", commands)!;
  const { leading, words, isForAgent } = takeLeadingOptions(argv, agent.options);
  if (leading.includes("--version") || leading.includes("-v")) return { kind: "version" };
  const [first] = words;
  if (first === "help") return helpFor(words.slice(1), commands);
  const wantsHelp = leading.some(isHelp);
  if (first === undefined) {
    const alone = isForAgent ? agent : find("", commands)!;
    return wantsHelp ? { kind: "help", topic: alone.name } : request(alone, leading);
  }
  // No command has a space in it, as it comes from a shell: these are the first words of a conversation.
  if (isForAgent && /\s/.test(first)) return request(agent, argv);

  const { command, rest } = findCommand(words, commands, wantsHelp || words.some(isHelp));
  if (typeof command === "string") return { kind: "help", topic: command };
  return wantsHelp ? { kind: "help", topic: command.name } : request(command, [...leading, ...rest]);
}

/** The word that names the command or its area; undefined when there are only options. Throws as `parseCommandLine` does. */
export function findFirstWord(argv: readonly string[], commands: readonly Command[]): string | undefined {
  return takeLeadingOptions(argv, find("agent", commands)!.options).words[0];
}

/** Options of every command may also come before its name; those of `agent` need no name after them. */
function takeLeadingOptions(
  argv: readonly string[],
  options: Command["options"],
): { leading: string[]; words: readonly string[]; isForAgent: boolean } {
  const leading: string[] = [];
  let isForAgent = false;
  let at = 0;
  for (; at < argv.length && argv[at]!.startsWith("-") && argv[at] !== "-"; at++) {
    const word = argv[at]!;
    leading.push(word);
    if (word === "--version" || word === "-v" || isHelp(word)) continue;
    const found = findOption(word, options);
    if (!found) throw unknownOption(word, options, "");
    isForAgent ||= !Object.hasOwn(commonOptions, found.name);
    if (options[found.name]!.value !== undefined && !found.hasValue && at + 1 < argv.length) leading.push(argv[++at]!);
  }
  return { leading, words: argv.slice(at), isForAgent };
}

/** `--model`, `--model=x`, `-m` or `-mx`. */
function findOption(
  word: string,
  options: Command["options"],
): { readonly name: string; readonly hasValue: boolean } | undefined {
  if (word.startsWith("--")) {
    const [name = ""] = word.slice(2).split("=", 1);
    return Object.hasOwn(options, name) ? { name, hasValue: word.includes("=") } : undefined;
  }
  const found = Object.entries(options).find(([, { short }]) => short === word[1]);
  return found && { name: found[0], hasValue: word.length > 2 };
}

/** The command that the words name, or the group (`calls`) for which help is wanted. */
function findCommand(
  words: readonly string[],
  commands: readonly Command[],
  wantsHelp: boolean,
): { command: Command | string; rest: readonly string[] } {
  const [first, second] = words as [string, string | undefined];
  const single = find(first, commands);
  const pair = single && second !== undefined ? find(`${first} ${second}`, commands) : undefined;
  if (pair) return { command: pair, rest: words.slice(2) };
  const members = membersOf(first, commands);
  // One that takes no words: whatever comes can only be meant as one of its own commands.
  const isWrongMember = single?.positionals.length === 0 && members.length > 0 && /^[^-]/.test(second ?? "");
  if (single && !isWrongMember) return { command: single, rest: words.slice(1) };
  if (members.length === 0) throw unknownCommand(first, commands);
  if (second === undefined || second.startsWith("-")) {
    if (wantsHelp) return { command: first, rest: [] };
    return { command: find(`${first} ${defaultSubcommand[first]}`, commands)!, rest: words.slice(1) };
  }
  const named = find(`${first} ${second}`, commands);
  if (named) return { command: named, rest: words.slice(2) };
  const names = members.map(({ name }) => name.slice(first.length + 1));
  const [meant] = nearest(second, names, 1);
  const hint = meant === undefined ? `Available: ${names.join(", ")}.` : `Did you mean \`deckhand ${first} ${meant}\`?`;
  throw new UsageError(`Unknown command "${first} ${neutralizeLine(second)}". ${hint}`);
}

function helpFor(words: readonly string[], commands: readonly Command[]): Request {
  const topic = words.filter((word) => !word.startsWith("-")).join(" ");
  const known = topic === "" || find(topic, commands) !== undefined || membersOf(topic, commands).length > 0;
  if (!known) throw unknownCommand(topic, commands);
  return { kind: "help", topic };
}

function request(command: Command, args: readonly string[]): Request {
  const { tokens } = parseArgs({
    args: [...args],
    strict: false,
    allowPositionals: true,
    tokens: true,
    options: Object.fromEntries(
      Object.entries(command.options).map(([name, { value, short }]) => [
        name,
        { type: value === undefined ? ("boolean" as const) : ("string" as const), ...(short ? { short } : {}) },
      ]),
    ),
  });
  const given = new Map<string, string[]>();
  const positionals: string[] = [];
  for (const token of tokens) {
    if (token.kind === "positional") positionals.push(token.value);
    if (token.kind !== "option") continue;
    const option = Object.hasOwn(command.options, token.name) ? command.options[token.name] : undefined;
    if (!option) throw unknownOption(token.rawName, command.options, forCommand(command));
    given.set(token.name, [...(given.get(token.name) ?? []), checkValue(token, option)]);
  }
  if (given.has("help")) return { kind: "help", topic: command.name };
  checkPositionals(command, positionals);
  return { kind: "run", command, invocation: createInvocation(positionals, given) };
}

function checkValue(
  token: { readonly rawName: string; readonly value?: string | undefined; readonly inlineValue?: boolean | undefined },
  { value }: Option,
): string {
  const { rawName } = token;
  if (value === undefined) {
    if (token.value === undefined) return "";
    throw new UsageError(`${rawName} does not take a value, got "${neutralizeLine(token.value)}".`);
  }
  const looksLikeOption = !token.inlineValue && token.value !== undefined && /^-./.test(token.value);
  if (token.value === undefined || token.value === "" || looksLikeOption) {
    const shown = neutralizeLine(token.value ?? "");
    const hint = looksLikeOption ? `. If the value is "${shown}", write ${rawName}=${shown}` : "";
    throw new UsageError(`${rawName} requires a value: ${rawName} ${value}${hint}`);
  }
  return token.value;
}

function checkPositionals(command: Command, given: readonly string[]): void {
  const needed = command.positionals.filter((name) => !name.startsWith("["));
  const usage = ["deckhand", command.name, ...command.positionals].filter(Boolean).join(" ");
  const missing = needed[given.length];
  if (missing !== undefined) throw new UsageError(`Missing argument ${missing}. Usage: ${usage}`);
  const extra = given[command.positionals.length];
  const takesMore = command.positionals.at(-1)?.includes("…") ?? false;
  if (extra === undefined || takesMore) return;
  const quoting = command.positionals.includes("[JSON]") ? " Put the JSON in single quotes." : "";
  throw new UsageError(`Unexpected argument "${neutralizeLine(extra)}".${quoting} Usage: ${usage}`);
}

function createInvocation(positionals: readonly string[], given: ReadonlyMap<string, readonly string[]>): Invocation {
  return {
    positionals,
    has: (option) => given.has(option),
    value: (option) => given.get(option)?.at(-1),
    values: (option) => given.get(option) ?? [],
  };
}

function unknownOption(raw: string, options: Readonly<Record<string, Option>>, where: string): UsageError {
  const names = Object.keys(options).map((name) => `--${name}`);
  const given = raw.split("=", 1)[0]!;
  const [meant] = nearest(given, names, 1);
  const hint = meant === undefined ? `Available: ${names.join(", ")}.` : `Did you mean ${meant}?`;
  return new UsageError(`Unknown option ${neutralizeLine(given)}${where}. ${hint}`);
}

function unknownCommand(name: string, commands: readonly Command[]): UsageError {
  const names = new Set(commands.flatMap((command) => [command.name, command.name.split(" ")[0]!]).filter(Boolean));
  const [meant] = nearest(name, names, 1);
  const hint = meant === undefined ? "Run `deckhand --help` for a list." : `Did you mean \`deckhand ${meant}\`?`;
  return new UsageError(`Unknown command "${neutralizeLine(name)}". ${hint}`);
}

function forCommand({ name }: Command): string {
  return name === "" ? "" : ` for \`deckhand ${name}\``;
}

function find(name: string, commands: readonly Command[]): Command | undefined {
  return commands.find((command) => command.name === name);
}

function membersOf(group: string, commands: readonly Command[]): Command[] {
  return commands.filter(({ name }) => name.startsWith(`${group} `));
}

function isHelp(word: string): boolean {
  return word === "--help" || word === "-h";
}

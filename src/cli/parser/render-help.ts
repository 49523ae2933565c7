import { commonOptions, type Command, type Option } from "./command.ts";
import { wrapText } from "../terminal/terminal-text.ts";

const width = 80;

/** Help for one command, a group of commands (`calls`, with its summary), or the whole command line (empty topic). */
export function renderHelp(topic: string, commands: readonly Command[], summary?: string): string {
  const single = topic === "" ? undefined : commands.find(({ name }) => name === topic);
  if (single) return renderCommand(single);
  return topic === "" ? renderProgram(commands) : renderGroup(topic, commands, summary);
}

function renderProgram(commands: readonly Command[]): string {
  return lines([
    "deckhand runs tool calls, keeps them inside the rails, and can prove what ran.",
    "",
    "Usage: deckhand [COMMAND] [OPTIONS]",
    "",
    ...renderCommands(commands),
    "Options for every command:",
    ...renderOptions({ ...commonOptions, version: { short: "v", summary: "Show the version" } }),
    "",
    "Examples:",
    ...["deckhand", `deckhand run "run the tests"`, `deckhand tool bash '{"command":"date"}'`].map(indent),
    "",
    "Run `deckhand COMMAND --help` for more about a command.",
  ]);
}

/** By purpose and in this order; a group is named by the first words of its commands. */
const groups: readonly { readonly title: string; readonly names: readonly string[] }[] = [
  { title: "Talk to a model", names: ["", "agent", "chat", "run", "demo"] },
  { title: "Conversations", names: ["resume", "sessions", "reset", "record"] },
  { title: "Tools and their calls", names: ["tools", "tool", "calls", "rollout", "improve"] },
  { title: "Other agents", names: ["tasks", "mcp", "worker"] },
  { title: "Always on", names: ["schedule", "serve", "watchdog"] },
  { title: "What you decide", names: ["inbox", "trust", "grants", "check"] },
  { title: "What was done", names: ["log", "clean"] },
];
const others = "This installation";

function renderCommands(commands: readonly Command[]): string[] {
  const groupOf = ({ name }: Command): string =>
    groups.find(({ names }) => names.includes(name.split(" ", 1)[0]!))?.title ?? others;
  const leftWidth = Math.max(...commands.map((command) => usageOf(command).length));
  return [...groups.map(({ title }) => title), others].flatMap((title) => {
    const members = inOrder(commands.filter((command) => groupOf(command) === title));
    if (members.length === 0) return [];
    return [
      `${title}:`,
      ...columns(
        members.map((command) => [usageOf(command), command.summary]),
        leftWidth,
      ),
      "",
    ];
  });
}

/** As the groups list them: areas are loaded in another order than the tables. */
function inOrder(commands: readonly Command[]): readonly Command[] {
  const names = groups.flatMap((group) => group.names);
  const position = ({ name }: Command): number => names.indexOf(name.split(" ", 1)[0]!);
  return commands.toSorted((a, b) => position(a) - position(b));
}

function renderGroup(group: string, commands: readonly Command[], summary: string | undefined): string {
  const members = commands.filter(({ name }) => name.startsWith(`${group} `));
  return lines([
    ...(summary === undefined ? [] : [`${summary}.`, ""]),
    `Usage: deckhand ${group} [COMMAND] [OPTIONS]`,
    "",
    "Commands:",
    ...columns(members.map((command) => [usageOf(command), command.summary])),
    "",
    "Examples:",
    ...members.map(({ examples }) => indent(examples[0] ?? "")),
    "",
    `Run \`deckhand ${group} COMMAND --help\` for more about a command.`,
  ]);
}

function renderCommand(command: Command): string {
  return lines([
    `${command.summary}.`,
    "",
    `Usage: ${usageOf(command)} [OPTIONS]`,
    ...renderDetails(command.details ?? []),
    ...renderExitCodes(command.exitCodes ?? {}),
    "",
    "Options:",
    ...renderOptions(command.options),
    "",
    command.examples.length > 1 ? "Examples:" : "Example:",
    ...command.examples.map(indent),
  ]);
}

function renderDetails(details: readonly string[] | string): string[] {
  if (typeof details === "string") return ["", details];
  return details.flatMap((paragraph) => ["", ...wrapText(paragraph.replaceAll(/\s+/g, " "), width)]);
}

function renderExitCodes(codes: Readonly<Record<number, string>>): string[] {
  const rows = Object.entries(codes).map(([code, meaning]) => indent(`${code.padStart(3)}  ${meaning}`));
  return rows.length === 0 ? [] : ["", "Exit codes:", ...rows];
}

function usageOf({ name, positionals }: Command): string {
  return ["deckhand", name, ...positionals].filter(Boolean).join(" ");
}

function renderOptions(options: Readonly<Record<string, Option>>): string[] {
  return columns(
    Object.entries(options).map(([name, { value, short, summary }]) => {
      const long = value === undefined ? `--${name}` : `--${name} ${value}`;
      return [short === undefined ? `    ${long}` : `-${short}, ${long}`, summary];
    }),
  );
}

function columns(
  rows: readonly (readonly [string, string])[],
  leftWidth = Math.max(...rows.map(([left]) => left.length)),
): string[] {
  return rows.map(([left, right]) => indent(`${left.padEnd(leftWidth)}  ${right}`));
}

function indent(line: string): string {
  return `  ${line}`;
}

function lines(all: readonly string[]): string {
  return `${all.join("\n")}\n`;
}

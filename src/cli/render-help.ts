import { commonOptions, type Command, type Option } from "./command.ts";

/** Help for one command, a group of commands (`calls`), or the whole command line (empty topic). */
export function renderHelp(topic: string, commands: readonly Command[]): string {
  const single = topic === "" ? undefined : commands.find(({ name }) => name === topic);
  if (single) return renderCommand(single);
  return topic === "" ? renderProgram(commands) : renderGroup(topic, commands);
}

function renderProgram(commands: readonly Command[]): string {
  return lines([
    "deckhand runs tool calls, keeps them inside the rails, and can prove what ran.",
    "",
    "Usage: deckhand [COMMAND] [OPTIONS]",
    "",
    ...renderCommands(commands),
    "Options of every command:",
    ...renderOptions({ ...commonOptions, version: { short: "v", summary: "Show the version" } }),
    "",
    "Examples:",
    ...["deckhand", `deckhand run "run the tests"`, `deckhand tool bash '{"command":"date"}'`].map(indent),
    "",
    "More about one of them: deckhand run --help",
  ]);
}

/** By what they are for; a group is named by the first words of its commands. */
const groups: readonly { readonly title: string; readonly names: readonly string[] }[] = [
  { title: "Talk to a model", names: ["", "agent", "chat", "run", "demo"] },
  { title: "Conversations", names: ["resume", "sessions", "reset", "record"] },
  { title: "Tools and their calls", names: ["tools", "tool", "calls", "rollout", "improve"] },
  { title: "Other agents", names: ["tasks", "mcp", "worker"] },
  { title: "Always on", names: ["serve", "schedule", "watchdog"] },
  { title: "What you decide", names: ["inbox", "trust", "grants", "check"] },
  { title: "What was done", names: ["log", "clean"] },
];
const others = "This installation";

function renderCommands(commands: readonly Command[]): string[] {
  const groupOf = ({ name }: Command): string =>
    groups.find(({ names }) => names.includes(name.split(" ", 1)[0]!))?.title ?? others;
  const width = Math.max(...commands.map((command) => usageOf(command).length));
  return [...groups.map(({ title }) => title), others].flatMap((title) => {
    const members = commands.filter((command) => groupOf(command) === title);
    if (members.length === 0) return [];
    return [
      `${title}:`,
      ...columns(
        members.map((command) => [usageOf(command), command.summary]),
        width,
      ),
      "",
    ];
  });
}

function renderGroup(group: string, commands: readonly Command[]): string {
  const members = commands.filter(({ name }) => name.startsWith(`${group} `));
  return lines([
    `Usage: deckhand ${group} [COMMAND] [OPTIONS]`,
    "",
    "Commands:",
    ...columns(members.map((command) => [usageOf(command), command.summary])),
    "",
    "Examples:",
    ...members.map(({ examples }) => indent(examples[0] ?? "")),
    "",
    `More about one of them: deckhand ${members[0]?.name} --help`,
  ]);
}

function renderCommand(command: Command): string {
  return lines([
    `${command.summary}.`,
    "",
    `Usage: ${usageOf(command)} [OPTIONS]`,
    ...(command.details === undefined ? [] : ["", command.details]),
    "",
    "Options:",
    ...renderOptions(command.options),
    "",
    command.examples.length > 1 ? "Examples:" : "Example:",
    ...command.examples.map(indent),
  ]);
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
  width = Math.max(...rows.map(([left]) => left.length)),
): string[] {
  return rows.map(([left, right]) => indent(`${left.padEnd(width)}  ${right}`));
}

function indent(line: string): string {
  return `  ${line}`;
}

function lines(all: readonly string[]): string {
  return `${all.join("\n")}\n`;
}

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { loadAllCommands } from "../../src/cli/commands.ts";
import { parseCommandLine } from "../../src/cli/parser/parse-command-line.ts";

const commands = await loadAllCommands();

function parse(...argv: string[]): unknown {
  const request = parseCommandLine(argv, commands);
  if (request.kind !== "run") return request;
  const { command, invocation } = request;
  const options = Object.fromEntries(
    Object.keys(command.options)
      .filter((name) => invocation.has(name))
      .map((name) => [name, command.options[name]!.value === undefined ? true : invocation.values(name)]),
  );
  return { command: command.name, positionals: invocation.positionals, options };
}

describe("a command line that is right", () => {
  const cases: [string[], unknown][] = [
    [[], { command: "", positionals: [], options: {} }],
    [["--json"], { command: "", positionals: [], options: { json: true } }],
    [["tools"], { command: "tools", positionals: [], options: {} }],
    [["tools", "read", "--json"], { command: "tools", positionals: ["read"], options: { json: true } }],
    [["--workdir", "/tmp", "tools"], { command: "tools", positionals: [], options: { workdir: ["/tmp"] } }],
    [
      ["--json", "--workdir=/tmp", "tools"],
      { command: "tools", positionals: [], options: { json: true, workdir: ["/tmp"] } },
    ],
    [["calls"], { command: "calls list", positionals: [], options: {} }],
    [["calls", "--running"], { command: "calls list", positionals: [], options: { running: true } }],
    [
      ["calls", "list", "--state", "failed", "--state=timeout"],
      { command: "calls list", positionals: [], options: { state: ["failed", "timeout"] } },
    ],
    [["calls", "show", "1a60"], { command: "calls show", positionals: ["1a60"], options: {} }],
    [
      ["tool", "bash", '{"command":"date"}'],
      { command: "tool", positionals: ["bash", '{"command":"date"}'], options: {} },
    ],
    [["tool", "bash", "-"], { command: "tool", positionals: ["bash", "-"], options: {} }],
    [["tool", "x", "--", "--json"], { command: "tool", positionals: ["x", "--json"], options: {} }],
    [["tool", "--timeout", "1.5", "x"], { command: "tool", positionals: ["x"], options: { timeout: ["1.5"] } }],
    [["--help"], { kind: "help", topic: "" }],
    [["help"], { kind: "help", topic: "" }],
    [["help", "calls", "show"], { kind: "help", topic: "calls show" }],
    [["-h", "tool"], { kind: "help", topic: "tool" }],
    [["tool", "-h"], { kind: "help", topic: "tool" }],
    [["calls", "--help"], { kind: "help", topic: "calls" }],
    [["calls", "cancel", "--help"], { kind: "help", topic: "calls cancel" }],
    [["--version"], { kind: "version" }],
    [["--version", "tools"], { kind: "version" }],
  ];
  for (const [argv, expected] of cases) {
    test(`deckhand ${argv.join(" ")}`, () => assert.deepEqual(parse(...argv), expected));
  }
});

describe("a command line that is wrong is answered by one sentence that says what to write", () => {
  const cases: [string[], string][] = [
    [["tolls"], 'Unknown command "tolls". Did you mean `deckhand tools`?'],
    [["frobnicate"], 'Unknown command "frobnicate". Run `deckhand --help` for a list.'],
    [["calls", "shw", "x"], 'Unknown command "calls shw". Did you mean `deckhand calls show`?'],
    [["calls", "zzz"], 'Unknown command "calls zzz". Available: list, show, cancel.'],
    [["serve", "stauts"], 'Unknown command "serve stauts". Did you mean `deckhand serve status`?'],
    [
      ["serve", "bogus", "--json"],
      'Unknown command "serve bogus". Available: status, stop, restart, logs, open, install, uninstall, token.',
    ],
    [["serve", "--json", "bogus"], 'Unexpected argument "bogus". Usage: deckhand serve'],
    [["help", "tolls"], 'Unknown command "tolls". Did you mean `deckhand tools`?'],
    [["tools", "--jsn"], "Unknown option --jsn for `deckhand tools`. Did you mean --json?"],
    [["tools", "--zzz"], "Unknown option --zzz for `deckhand tools`. Available: --json, --workdir, --help."],
    [["--jsn", "tools"], "Unknown option --jsn. Did you mean --json?"],
    [
      ["tools", "--constructor"],
      "Unknown option --constructor for `deckhand tools`. Available: --json, --workdir, --help.",
    ],
    [["tools", "--json=yes"], '--json does not take a value, got "yes".'],
    [["tools", "--workdir"], "--workdir requires a value: --workdir DIR"],
    [["tools", "--workdir="], "--workdir requires a value: --workdir DIR"],
    [
      ["tools", "--workdir", "--json"],
      '--workdir requires a value: --workdir DIR. If the value is "--json", write --workdir=--json',
    ],
    [["--workdir"], "--workdir requires a value: --workdir DIR"],
    [["tool"], "Missing argument NAME. Usage: deckhand tool NAME [JSON]"],
    [["calls", "show"], "Missing argument ID. Usage: deckhand calls show ID"],
    [["tools", "a", "b"], 'Unexpected argument "b". Usage: deckhand tools [NAME]'],
    [
      ["tool", "bash", "{command:", "ls}"],
      'Unexpected argument "ls}". Put the JSON in single quotes. Usage: deckhand tool NAME [JSON]',
    ],
    [["\u001b[31mhi\n"], 'Unknown command "␛[31mhi ". Run `deckhand --help` for a list.'],
  ];
  for (const [argv, sentence] of cases) {
    test(`deckhand ${JSON.stringify(argv)}`, () => {
      assert.throws(() => parse(...argv), { name: "UsageError", message: sentence });
    });
  }
});

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { commands } from "../../src/cli/commands.ts";
import { parseCommandLine } from "../../src/cli/parse-command-line.ts";

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
    [["tolls"], '"tolls" is not a command of deckhand. Did you mean "deckhand tools"?'],
    [["frobnicate"], '"frobnicate" is not a command of deckhand. See deckhand --help.'],
    [["calls", "shw", "x"], '"shw" is not a command of "deckhand calls". Did you mean "deckhand calls show"?'],
    [["calls", "zzz"], '"zzz" is not a command of "deckhand calls". There are: list, show, cancel.'],
    [["serve", "stauts"], '"stauts" is not a command of "deckhand serve". Did you mean "deckhand serve status"?'],
    [
      ["serve", "bogus", "--json"],
      '"bogus" is not a command of "deckhand serve". There are: status, stop, restart, logs, open, install, uninstall, token.',
    ],
    [["serve", "--json", "bogus"], '"bogus" is one argument too many: deckhand serve.'],
    [["help", "tolls"], '"tolls" is not a command of deckhand. Did you mean "deckhand tools"?'],
    [["tools", "--jsn"], '--jsn is not an option of "deckhand tools". Did you mean --json?'],
    [["tools", "--zzz"], '--zzz is not an option of "deckhand tools". There are: --json, --workdir, --help.'],
    [["--jsn", "tools"], "--jsn is not an option before a command. Did you mean --json?"],
    [
      ["tools", "--constructor"],
      '--constructor is not an option of "deckhand tools". There are: --json, --workdir, --help.',
    ],
    [["tools", "--json=yes"], '--json takes no value, got "yes".'],
    [["tools", "--workdir"], "--workdir needs a value: --workdir DIR"],
    [["tools", "--workdir="], "--workdir needs a value: --workdir DIR"],
    [["tools", "--workdir", "--json"], '--workdir needs a value: --workdir DIR; if it is "--json", write --workdir=…'],
    [["--workdir"], "--workdir needs a value: --workdir DIR"],
    [["tool"], "NAME is missing: deckhand tool NAME [JSON]."],
    [["calls", "show"], "ID is missing: deckhand calls show ID."],
    [["tools", "a", "b"], '"b" is one argument too many: deckhand tools [NAME].'],
    [
      ["tool", "bash", "{command:", "ls}"],
      '"ls}" is one argument too many: deckhand tool NAME [JSON]. Put the JSON in single quotes.',
    ],
    [["\u001b[31mhi\n"], '"␛[31mhi " is not a command of deckhand. See deckhand --help.'],
  ];
  for (const [argv, sentence] of cases) {
    test(`deckhand ${JSON.stringify(argv)}`, () => {
      assert.throws(() => parse(...argv), { name: "UsageError", message: sentence });
    });
  }
});

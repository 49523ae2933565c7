import assert from "node:assert/strict";
import { test } from "node:test";
import { analyseCommand } from "../src/analyse-command.ts";
import samples from "./command-samples.json" with { type: "json" };

const { hidden, ordinary, unreadable, wrapped } = samples;
const place = { cwd: "/home/u/project", home: "/home/u" };

test("a dangerous command is found inside every wrapper [L8]", () => {
  for (const command of wrapped) assert.equal(verdictOf(command), "danger", command);
});

test("a dangerous command is found however it is spelled [L8]", () => {
  for (const command of hidden) assert.equal(verdictOf(command), "danger", command);
});

test("what can't be understood is never safe [L8]", () => {
  for (const command of unreadable) assert.notEqual(verdictOf(command), "safe", command);
});

test("ordinary commands are safe, whatever their text arguments say", () => {
  const alarms = ordinary.filter((command) => verdictOf(command) !== "safe");
  assert.deepEqual(alarms, []);
});

test("a finding names the exact sub-command", () => {
  const { findings } = analyseCommand("cd build && sudo timeout 5 rm -rf 'a b' && ls", place);
  assert.deepEqual(
    [...new Set(findings.map(({ verdict, command }) => `${verdict}: ${command}`))],
    ["danger: sudo timeout 5 rm -rf 'a b'", "danger: rm -rf 'a b'"],
  );
});

test("wrappers and what they wrap are commands of their own, in order", () => {
  const { commands } = analyseCommand(`env A=1 timeout 5 npm test | xargs -n1 sh -c 'echo "$1"' _`, place);
  assert.deepEqual(
    commands.map(({ name, via }) => [...via, name].join(" > ")),
    ["env", "env > timeout", "env > timeout > npm", "xargs", "xargs > sh", "xargs > sh > echo"],
  );
});

test("the words of a command are literal, glob or dynamic, with the known beginning", () => {
  const [command] = analyseCommand(`cp "a b" *.ts "/etc/$X" $Y`, place).commands;
  assert.deepEqual(
    command?.words.slice(1).map(({ text, kind, prefix, isSplit = false }) => ({ text, kind, prefix, isSplit })),
    [
      { text: "a b", kind: "literal", prefix: "a b", isSplit: false },
      { text: "*.ts", kind: "glob", prefix: "*.ts", isSplit: false },
      { text: "/etc/$X", kind: "dynamic", prefix: "/etc/", isSplit: false },
      { text: "$Y", kind: "dynamic", prefix: "", isSplit: true },
    ],
  );
});

test("stdin is known text, a file, or the commands that write it", () => {
  const inputOf = (text: string) => analyseCommand(text, place).commands.at(-1)?.input;
  assert.deepEqual(inputOf("echo hi | cat"), { kind: "text", text: "hi\n" });
  assert.deepEqual(inputOf("cat <<E\na\nE"), { kind: "text", text: "a\n" });
  assert.deepEqual(inputOf("cat <<E\n$X\nE"), { kind: "dynamic", text: "$X\n" });
  const file = inputOf("cat < a");
  assert.equal(file?.kind === "file" && file.path.text, "a");
  const piped = inputOf("ls | sort | cat");
  assert.deepEqual(piped?.kind === "commands" && piped.commands.map(({ name }) => name), ["ls", "sort"]);
});

test("a command is complete only when every program in it is known", () => {
  assert.equal(analyseCommand("npm test && git status", place).isComplete, true);
  assert.equal(analyseCommand("$X test", place).isComplete, false);
  assert.equal(analyseCommand("${X:-npm} test", place).isComplete, false);
  assert.equal(analyseCommand('npm test; eval "$X"', place).isComplete, false);
});

test("only what changes nothing is read-only", () => {
  for (const text of ["ls -la", "cat a | grep b | wc -l", "ls 2>/dev/null", "x=1; echo $x 2>&1", "timeout 5 cat a"]) {
    assert.equal(analyseCommand(text, place).isReadOnly, true, text);
  }
  for (const text of [
    "ls > a",
    "ls &",
    "f() { ls; }; f",
    "PATH=. ls",
    "npm test",
    "ls; touch a",
    "cat $(touch a)",
    "ls <> a",
    "",
  ]) {
    assert.equal(analyseCommand(text, place).isReadOnly, false, text);
  }
});

test("hidden characters, half characters and long texts are unknown, with the reason", () => {
  const reasonOf = (text: string) => {
    const { verdict, findings } = analyseCommand(text, place);
    return verdict === "unknown" && findings[0]?.rule;
  };
  for (const text of [
    "ls\r\n",
    "ls\0",
    "ls \u202ex",
    "l\u200bs",
    "ls \ud800",
    "ls \u001b[1A",
    "ls \u0085",
    "\ufeffls",
  ]) {
    assert.equal(reasonOf(text), "text.hidden-character", JSON.stringify(text));
  }
  assert.equal(reasonOf("a".repeat(1 << 20)), "text.too-long");
  assert.equal(reasonOf("é".repeat(17_000)), "text.too-long");
  assert.equal(verdictOf("git commit -m '👩‍💻 ❤️‍🔥 한글'"), "safe");
});

test("the name of a variable that goes over the end of a line is unknown [L8]", () => {
  assert.equal(verdictOf("AB=rm; A=ls; $A\\\nB -rf a"), "unknown");
  assert.equal(verdictOf("AB=rm; A=ls; ${A\\\nB} -rf a"), "unknown");
  assert.equal(verdictOf("docker run \\\n  -v $PWD:/x \\\n  image"), "safe");
});

test("more than 200 commands or more than 8 wrappers are unknown, and none is skipped", () => {
  assert.equal(analyseCommand("true;".repeat(199), place).verdict, "safe");
  assert.equal(analyseCommand("true;".repeat(300), place).verdict, "unknown");
  assert.equal(analyseCommand(`${"true;".repeat(300)}rm -rf a`, place).verdict, "unknown");
  assert.equal(analyseCommand(`${"env ".repeat(7)}ls`, place).verdict, "safe");
  assert.equal(analyseCommand(`${"env ".repeat(20)}ls`, place).verdict, "unknown");
});

test("nesting of any depth is answered", () => {
  const shapes = [
    "$(",
    "(",
    "{ ",
    "`",
    "if ",
    "${x:-",
    '"$(',
    "<(",
    "<<a ",
    "coproc ",
    "f() { ",
    "[[ ( ",
    "!(",
    "case a in a) ",
  ];
  for (const shape of shapes) {
    const repeated = shape.repeat(Math.floor(32_000 / shape.length));
    assert.notEqual(analyseCommand(`${repeated} rm -rf a`, place).verdict, undefined, shape);
    assert.equal(analyseCommand(shape.repeat(10_000 + 25_000), place).verdict, "unknown", shape);
  }
});

function verdictOf(text: string): string {
  return analyseCommand(text, place).verdict;
}

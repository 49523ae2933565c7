import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import fc from "fast-check";
import { analyseCommand } from "../src/analyse-command.ts";
import { count } from "../../../test/support/counts.ts";
import { temporaryFolder } from "../../../test/support/temporary.ts";

const quoted = [
  "'x y'",
  '"q w"',
  "\\x72",
  "\\ ",
  "\\\\",
  "$'\\x72\\162\\t\\'z'",
  "$'\\u00e9\\ca\\e'",
  '$"l"',
  '"\\$\\n\\""',
  "\\\n",
  "\\{a,b\\}",
];
const braces = ["{a,b}", "{1..3}", "{03..1}", "{a..e..2}", "{,x}", "{a,{b,c}}", "{", "}", "{x}", "{a,'b,c'}"];
const variables = [
  "$X",
  "${X}",
  "${Y:-d e}",
  "${X#v}",
  "${X%?}",
  "${X%%a*}",
  "${X:1:2}",
  "${X: -1}",
  "${X^^}",
  "${X/a/b}",
  "${#X}",
  "${X@U}",
  "${Z}",
];
const lists = [
  "${A[@]}",
  '"${A[@]}"',
  '"${A[*]}"',
  "${A[1]}",
  "${#A[@]}",
  "$@",
  '"$@"',
  '"$*"',
  "$1",
  "${2}",
  "$#",
  '"${@:2}"',
];
const commands = [
  "$((1+2*0x10))",
  "$(echo q r)",
  "`echo s`",
  "$(printf '%s-' 1 2)",
  "$(printf '\\x72\\162m')",
  "$(echo -e 'a\\tb')",
  "$(tr a-c b-d <<< abc)",
  "$(rev <<< abc)",
];
// Not `$` alone: bash then leaves the other expansions of the word unsplit, and splitting is the more careful reading.
const plain = ["a", "rm", " ", "-", "#", "=", "+", "~", "~/", "\\$", "é", "%", ",", "!", "$IFS"];
const atoms = fc.constantFrom(...quoted, ...braces, ...variables, ...lists, ...commands, ...plain);

const setting = "X=vab; A=(p 'q r'); set -- one 'two 2'; ";

test("words mean here what they mean to bash", async (t) => {
  const cwd = await temporaryFolder(t);
  const words = fc.sample(fc.array(atoms, { minLength: 1, maxLength: 6 }), {
    numRuns: count({ quick: 400, full: 20_000 }),
    seed: 7,
  });
  const readings = words.map((parts) => parts.join("")).map((text) => ({ text, reading: read(text, cwd) }));
  // A word that bash would not read, or that is not known before it runs, is no word to compare.
  const known = readings.filter(({ reading }) => reading !== null);
  assert.ok(known.length > readings.length / 2, `Only ${known.length} of ${readings.length} words were known.`);
  const script = known.map(({ text }) => `(${setting}printf '%s\\0' ${text}\n)\nprintf '\\036'\n`).join("");
  const env = { PATH: process.env["PATH"] ?? "", HOME: "/home/u", LC_ALL: "C.UTF-8" };
  const bash = spawnSync("bash", ["--noprofile", "--norc"], {
    input: script,
    encoding: "utf8",
    env,
    cwd,
    maxBuffer: 1 << 28,
  });
  const answers = bash.stdout.split("\u001e").slice(0, -1);
  assert.equal(answers.length, known.length, bash.stderr);
  for (const [n, { text, reading }] of known.entries())
    assert.deepEqual(reading, answers[n]?.split("\0").slice(0, -1), text);
});

function read(text: string, cwd: string): string[] | null {
  const { commands: found, findings } = analyseCommand(`${setting}printf '%s\\0' ${text}\n`, { home: "/home/u", cwd });
  const words = found.at(-1)?.words.slice(2) ?? [];
  if (findings.length > 0 || words.length === 0 || found.at(-1)?.name !== "printf") return null;
  return words.every(({ kind }) => kind === "literal") ? words.map((word) => word.text) : null;
}

import assert from "node:assert/strict";
import { test } from "node:test";
import { judgeCode, shellTextsIn } from "../src/code/judge-code.ts";
import type { Language } from "../src/code/interpreters.ts";

const languages: readonly Language[] = [
  ...(["python", "javascript", "perl", "ruby", "php", "lua", "awk", "sed"] as const),
  ...(["applescript", "powershell", "sql", "mongo", "redis", "other", "shell"] as const),
];

test("a literal command that code starts is handed back for analysis [L8]", () => {
  const found = [
    shellTextsIn("python", "import os; os.system('rm -rf x')"),
    shellTextsIn("python", "import subprocess as s; s.run(['rm', '-rf', 'my dir'])"),
    shellTextsIn("python", "from os import system as go\ngo('id')"),
    shellTextsIn("javascript", "require('child_' + 'process').execSync('rm \\x2drf x')"),
    shellTextsIn("javascript", "require('child_process').spawnSync('rm', ['-rf', 'x'], {stdio: 'inherit'})"),
    shellTextsIn("ruby", '`rm -rf x`; system "id"'),
    shellTextsIn("perl", "system('rm', '-rf', 'x')"),
    shellTextsIn("awk", 'BEGIN { system("rm -rf x"); "date" | getline d }'),
  ];
  assert.deepEqual(found, [
    ["rm -rf x"],
    ["rm -rf 'my dir'"],
    ["id"],
    ["rm -rf x"],
    ["rm -rf x"],
    ["rm -rf x", "id"],
    ["rm -rf x"],
    ["rm -rf x", "date"],
  ]);
});

test("a command that code makes up while it runs is unknown [L8]", () => {
  const cases: [Language, string][] = [
    ["python", "import os,sys; os.system(sys.argv[1])"],
    ["python", "import subprocess; subprocess.run(f'ls {x}', shell=True)"],
    ["javascript", "const {exec: e} = require('child_process'); e(process.argv[2])"],
    ["perl", "system($ARGV[0])"],
    ["awk", '{ system("rm " $1) }'],
  ];
  const rules = cases.map(([language, text]) =>
    judgeCode(language, text, {}).map(({ verdict, rule }) => `${verdict} ${rule}`),
  );
  assert.deepEqual(
    rules,
    cases.map(() => ["unknown code.command"]),
  );
});

test("what code only talks about is not what it does [L8]", () => {
  const cases: [Language, string][] = [
    ["python", "print('os.system and shutil.rmtree')"],
    ["python", "# os.system('x')\nprint(1)"],
    ["python", "items = [1]; items.remove(1)"],
    ["javascript", "console.log(/a(b)/.exec('ab')[1]) // eval(x)"],
    ["perl", "print if /system/"],
    ["perl", "s/'/\"/g"],
    ["ruby", "puts 'system'"],
    ["awk", '/system/ { print "system(1)" }'],
    ["sed", "s/execute/we/g"],
    ["sed", "/where/d"],
  ];
  assert.deepEqual(
    cases.flatMap(([language, text]) => judgeCode(language, text, {}).map(({ rule }) => `${text}: ${rule}`)),
    [],
  );
});

test("one named file of the workdir may be deleted, others may not [L8]", () => {
  const place = { cwd: "/home/me/project", home: "/home/me" };
  assert.deepEqual(judgeCode("python", "import os; os.remove('a.txt')", place), []);
  assert.equal(judgeCode("python", "import os; os.remove('/etc/passwd')", place)[0]?.rule, "code.delete");
  assert.equal(judgeCode("python", "import os\nfor f in x: os.remove(f)", place)[0]?.rule, "code.delete");
});

test("no text of any language makes it throw [L8]", () => {
  const parts = [
    "'",
    '"',
    "`",
    "\\",
    "/",
    "s{",
    "$(",
    "#{",
    "${",
    "\n",
    "eval(",
    "system",
    "e ",
    "w ",
    "/*",
    "--",
    "\u0000",
    "\ud800",
    "(",
    ")",
  ];
  let seed = 7;
  const next = (): number => (seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648);
  for (let round = 0; round < 400; round++) {
    const text = Array.from({ length: 12 }, () => parts[next() % parts.length]).join("");
    for (const language of languages) {
      assert.doesNotThrow(() => [judgeCode(language, text, {}), shellTextsIn(language, text)], text);
    }
  }
});

import assert from "node:assert/strict";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { judgeStrictCommand } from "../../src/guard/strict-shell/strict-command.ts";
import { temporaryFolder } from "../support/temporary.ts";

async function openWorkdir(t: TestContext): Promise<string> {
  const top = await temporaryFolder(t);
  const workdir = join(top, "work");
  mkdirSync(join(workdir, "src/sub"), { recursive: true });
  mkdirSync(join(workdir, ".git/hooks"), { recursive: true });
  mkdirSync(join(top, "outside"));
  for (const file of ["a.txt", "src/b.ts", ".env", ".git/config"]) writeFileSync(join(workdir, file), "x");
  writeFileSync(join(top, "outside/secret.txt"), "x");
  symlinkSync("../outside", join(workdir, "door"));
  symlinkSync("../outside/secret.txt", join(workdir, "notes.txt"));
  symlinkSync("../../../outside", join(workdir, "src/sub/out"));
  symlinkSync("src", join(workdir, "inward"));
  return workdir;
}

test("plain words with names inside the workdir become the arguments of one program [G2]", async (t) => {
  const workdir = await openWorkdir(t);
  const cases: [text: string, argv: readonly string[]][] = [
    ["ls", ["ls"]],
    ["  ls\t-la   src ", ["ls", "-la", "src"]],
    ["cat 'a.txt' \"src/b.ts\"", ["cat", "a.txt", "src/b.ts"]],
    ["cat inward/b.ts", ["cat", "inward/b.ts"]],
    ["echo ''", ["echo", ""]],
    ['echo a"b c"d', ["echo", "ab cd"]],
    ["grep -n 'it is' a.txt", ["grep", "-n", "it is", "a.txt"]],
    ["grep -A2 -e x a.txt", ["grep", "-A2", "-e", "x", "a.txt"]],
    ["head -20 a.txt", ["head", "-20", "a.txt"]],
    ["find src -name b.ts -type f", ["find", "src", "-name", "b.ts", "-type", "f"]],
    ["sed -n 2,5p a.txt", ["sed", "-n", "2,5p", "a.txt"]],
    ["wc -l a.txt src/b.ts", ["wc", "-l", "a.txt", "src/b.ts"]],
    ["mkdir -p src/new/deep", ["mkdir", "-p", "src/new/deep"]],
    ["mv a.txt src/c.txt", ["mv", "a.txt", "src/c.txt"]],
    ["date +%Y-%m-%d", ["date", "+%Y-%m-%d"]],
  ];
  for (const [text, argv] of cases) {
    assert.deepEqual(judgeStrictCommand(text, { workdir, sandboxed: false }), { ok: true, argv }, text);
  }
});

test("git shows, without the programs a repository could name for it [G2]", async (t) => {
  const workdir = await openWorkdir(t);
  const first = ["git", "--no-pager", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"];
  const judged = judgeStrictCommand("git log --oneline -5 main..dev", { workdir, sandboxed: false });
  assert.deepEqual(judged, {
    ok: true,
    argv: [...first, "log", "--no-ext-diff", "--no-textconv", "--oneline", "-5", "main..dev"],
  });
  const refused = [
    "git",
    "git -c core.pager=x log",
    "git -C src log",
    "git push",
    "git clean -f",
    "git diff --ext-diff",
    "git diff --output=x",
    "git diff --no-index a.txt src/b.ts",
    "git log --output x",
    "git branch new",
    "git constructor",
    "git --exec-path=src status",
  ];
  for (const text of refused) assert.equal(judgeStrictCommand(text, { workdir, sandboxed: false }).ok, false, text);
});

const refusedAlways = [
  ..."; & | < > $ ` ( ) { } [ ] * ? ! # ~ \\".split(" ").flatMap((sign) => [`echo ${sign}`, `echo 'a${sign}b'`]),
  "ls\nrm a.txt",
  "ls\rrm a.txt",
  "ls \0",
  "ls \u001b[2J",
  "ls \u0085x",
  "ls \u2028x",
  "ls \u202ex",
  "ls \u200bx",
  "ls \ud800",
  "echo 'open",
  'echo "open',
  "",
  "   ",
  "cat /etc/passwd",
  "cat '/etc/passwd'",
  'cat "/"etc/passwd',
  "cat ..",
  "cat ../x",
  "cat src/../../x",
  "cat src/..",
  "ls --color=/etc",
  "ls --out=../x",
  "grep -e/etc/passwd x",
  "grep -f/etc/passwd x",
  "grep -nf/etc/passwd x",
  "tar -xf/etc/x",
  "tar -xC..",
  "make -C..",
  "make -C../x",
  "make -I/usr/include",
  "make A=/x",
  "make A=b:/x",
  "make A=b,/x",
  "make A=..:b",
  "curl -d@/etc/passwd x",
  "curl file:a.txt",
  "curl FILE:a.txt",
  "curl https://example.com",
  "dd if=/dev/zero",
  "rsync a:/b c",
  "/bin/ls",
  "./run",
  "src/run",
  "X=1 ls",
  "-ls",
  ". x",
  "cat notes.txt",
  "cat door/secret.txt",
  "ls door",
  "cat ./door/secret.txt",
  "cat src/sub/out/secret.txt",
  "stat --format=x notes.txt",
  "cat .env",
  "cat --file=notes.txt",
  "echo " + "x ".repeat(1000),
  `echo ${"=".repeat(1000)}`,
  `echo ${"x".repeat(40_000)}`,
];

test("what names the outside, or more than plain words, is refused with and without a sandbox [G2]", async (t) => {
  const workdir = await openWorkdir(t);
  for (const text of refusedAlways) {
    for (const sandboxed of [false, true]) {
      const judged = judgeStrictCommand(text, { workdir, sandboxed });
      assert(!judged.ok, `${JSON.stringify(text)}, sandboxed: ${sandboxed}`);
      assert.match(judged.reason, /^\S[^\n]*[^.\s]$/, text);
    }
  }
});

test("without a sandbox only listed programs and options run [G2]", async (t) => {
  const workdir = await openWorkdir(t);
  const refused = [
    "python x.py",
    "node x.js",
    "npm test",
    "make",
    "bash x",
    "env ls",
    "xargs ls",
    "awk x a.txt",
    "tar cf x src",
    "cp a.txt b.txt",
    "find src -exec ls",
    "find src -execdir ls",
    "find src -delete",
    "find src -fprint x",
    "find -L src",
    "find src -ok ls",
    "sed -i 1d a.txt",
    "sed 1wx a.txt",
    "sed wx a.txt",
    "sed -n 1e a.txt",
    "sed s/a/b/e a.txt",
    "sed -e 1d a.txt",
    "sed --in-place 1d a.txt",
    "rg --pre cat x",
    "rg --pre=cat x",
    "rg -L x",
    "rg -uu x",
    "rg --hidden x",
    "rg -f a.txt",
    "grep -r x src",
    "grep -R x",
    "grep --rec x",
    "grep -f a.txt a.txt",
    "sort -o x a.txt",
    "sort --out=x a.txt",
    "sort --compress-program=x a.txt",
    "uniq a.txt x",
    "tree -o x",
    "tail -f a.txt",
    "date 010100002030",
    "date -s now",
    "rm -r src",
    "rm -rf src",
    "rm .git/config",
    "touch .git/hooks/pre-commit",
    "touch .bashrc",
    "mkdir .vscode",
    "mv a.txt .git/hooks/pre-commit",
    "mv .env plain.txt",
    "mv a.txt door",
    "touch door/new",
    "touch .deckhand/x",
    "head -n",
  ];
  for (const text of refused) {
    const judged = judgeStrictCommand(text, { workdir, sandboxed: false });
    assert(!judged.ok, text);
  }
});

test("with a sandbox other programs run too, but none that can run anything [G2]", async (t) => {
  const workdir = await openWorkdir(t);
  for (const text of [
    "npm test",
    "make -j4",
    "cargo build --release",
    "gcc -Isrc/include -osrc/out src/b.c",
    "cp a.txt b.txt",
  ]) {
    assert.deepEqual(judgeStrictCommand(text, { workdir, sandboxed: true }), { ok: true, argv: text.split(" ") }, text);
  }
  const refused = [
    "sh x",
    "bash -c ls",
    "BASH x",
    "python3 x.py",
    "python3.12 x.py",
    "node x.js",
    "lua5.4 x",
    "env ls",
  ];
  for (const text of [...refused, "xargs ls", "sudo ls", "perl -e 1", "busybox ls", "ssh host", "prettier .vscode/x"]) {
    const isAboutPath = text.startsWith("prettier");
    if (isAboutPath) mkdirSync(join(workdir, ".vscode/x"), { recursive: true });
    assert(!judgeStrictCommand(text, { workdir, sandboxed: true }).ok, text);
  }
});

test("words are paths from where the command runs [G2]", async (t) => {
  const workdir = await openWorkdir(t);
  const cwd = join(workdir, "src/sub");
  assert(!judgeStrictCommand("ls out", { workdir, cwd, sandboxed: false }).ok);
  assert(judgeStrictCommand("ls out", { workdir, sandboxed: false }).ok);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { analyseCommand } from "../src/analyse-command.ts";

const place = { cwd: "/home/dev/project", home: "/home/dev" };

test("every file of .git is protected, as it is for the file tools [L8 G1]", () => {
  for (const command of [
    "echo x > .git/commondir",
    "cp a .git/commondir",
    "tee .git/modules/x/config < a",
    "echo x > .git/HEAD",
    "echo x > .git/config.worktree",
    "echo x >> sub/.git/config",
    "mv .git other",
  ])
    assert.equal(analyseCommand(command, place).verdict, "danger", command);
  for (const command of ["cat .git/HEAD", "ls .git", "echo x > .gitignore", "cp -r .git ../copy", "git status"])
    assert.equal(analyseCommand(command, place).verdict, "safe", command);
});

test("settings that git takes from variables are an order to it, by whatever way they are set [L8]", () => {
  for (const command of [
    "GIT_CONFIG_VALUE_1='touch x;'; git status",
    "GIT_CONFIG_COUNT=0 git status",
    "GIT_CONFIG_COUNT= git status",
    "for GIT_CONFIG_VALUE_1 in 'touch x;'; do git status; done",
    "for LD_PRELOAD in ./x.so; do ls; done",
  ])
    assert.equal(analyseCommand(command, place).verdict, "danger", command);
});

test("a part of git that is called by its own name is git [L8]", () => {
  const { verdict, commands } = analyseCommand("/usr/lib/git-core/git-push --force origin main", place);
  assert.equal(verdict, "danger");
  assert.deepEqual(
    commands.at(-1)!.words.map(({ text }) => text),
    ["git", "push", "--force", "origin", "main"],
  );
});

test("what a loop, arithmetic or a list gives to a variable is an assignment [L8]", () => {
  const assigned = (text: string): string[] =>
    analyseCommand(text, place).commands.flatMap(({ assignments }) => assignments.map(({ name }) => name));
  assert.deepEqual(assigned("for PATH in a b; do :; done"), ["PATH", "PATH"]);
  assert.deepEqual(assigned("select x in a; do :; done"), ["x"]);
  assert.deepEqual(assigned("((PATH = 3, i++))").toSorted(), ["PATH", "i"]);
  assert.deepEqual(assigned("echo $((HOME += 1))"), ["HOME"]);
  assert.deepEqual(assigned("echo $((a + b == c))"), []);
});

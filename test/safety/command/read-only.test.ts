import assert from "node:assert/strict";
import { test } from "node:test";
import { analyseCommand } from "../../../src/safety/command/analyse-command.ts";

const pure = [
  "ls -la",
  "cat a b | grep x | sort | uniq -c",
  "head -n 5 a",
  "tail -n 5 a",
  "find . -name '*.ts'",
  "rg -n pattern src",
  "wc -l *",
  "git status",
  "git log --oneline -5",
  "git diff HEAD~1 -- src",
  "git show HEAD:a.ts",
  "git branch -a",
  "git config --get user.name",
  "git -C sub ls-files",
  "awk '{print $1}' a",
  "awk '$3 > 5' a",
  "sed -n '1,5p' a",
  "date +%s",
  "node --version",
  "command -v node",
  "test -f a && cat a",
  "jq .a b.json",
  "cd src && ls",
  "du -sh . 2>/dev/null",
];

const changing = [
  "sort -o a b",
  "sort --outp=a b",
  "uniq a b",
  "tail -f a",
  "tail --follow a",
  "find . -delete",
  "find . -fprint x",
  "find . -exec ls {} +; touch x",
  "rg --pre ./x y",
  "date -s 2020-01-01",
  "git branch x",
  "git branch -d x",
  "git tag v1",
  "git log --output=x",
  "git diff --ext-diff",
  "git -c core.pager=x log",
  "git commit -m x",
  "git fetch",
  "git stash",
  "awk '{print > \"x\"}' a",
  "awk '{print | \"sh\"}' a",
  'awk \'/"/{system("x")}\' a',
  "awk -f x a",
  "sed -i s/a/b/ x",
  "sed 'w x' a",
  "sed s/a/b/e a",
  "sed -f x a",
  "./ls",
  "bin/cat a",
  "echo x > a",
  "printf -v x y",
  "npm test",
  "node app.js",
  "curl https://example.com",
  "tree -o x",
  "yq -i .a=1 x",
  "xxd a b",
  "sort $X",
  'git "$X"',
  "tee x",
];

test("programs that change nothing are proved to be read-only", () => {
  assert.deepEqual(
    pure.filter((command) => !analyseCommand(command).isReadOnly),
    [],
  );
});

test("a program that may change something is never called read-only", () => {
  assert.deepEqual(
    changing.filter((command) => analyseCommand(command).isReadOnly),
    [],
  );
});

import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { openGated } from "./support.ts";

test("a path that may not be touched is found in whatever word names it [G8]", async (t) => {
  const { call, asked, workdir } = await openGated(t, {
    permissions: { allow: ["bash"], deny: ["read(hidden.txt)", "write(migrations/**)", "bash(git push *)"] },
  });
  for (const folder of ["b", "migrations", "open"]) await mkdir(join(workdir, folder));
  for (const name of ["hidden.txt", "a.txt", "open/a.txt"]) await writeFile(join(workdir, name), "x\n");
  const refused = [
    "cat hidden.tx[[:alpha:]]",
    "cat $PWD/hidd*",
    "env -C b cat ../hidden.txt",
    "git -C b diff --no-index /dev/null ../hidden.txt",
    "make -C b -f ../hidden.txt",
    "curl file://$PWD/hidden.txt",
    "curl --url=file://localhost$PWD/hidden%2Etxt",
    "git show :hidden.txt",
    "git show HEAD:hidden.txt",
    "/usr/lib/git-core/git-push o",
  ];
  for (const command of refused) {
    const { error } = await call("bash", { command });
    assert.match(error ?? "", /^Refused: the rule deny .* covers it$/, command);
  }
  const doubtful = [
    "cp -ftmigrations a.txt",
    "sort -uomigrations/o a.txt",
    "sed 'w migrations/w' a.txt",
    "sed 'r hidden.txt' a.txt",
    "sed '1rhidden.txt' a.txt",
    "awk 'BEGIN { while ((getline l < \"hidden.txt\") > 0) print l }'",
    "python3 -c 'print(open(\"hidden.txt\").read())'",
    "python3 - <<< 'print(open(\"hidden.txt\").read())'",
    "grep -r x .",
    "grep -r x",
    "cp -r . ../copy",
    "find . -name 'hid*' -exec cat {} +",
    "git -c alias.p=push p o",
  ];
  for (const command of doubtful) {
    const before = asked.length;
    const { state } = await call("bash", { command });
    assert.deepEqual([state, asked.length], ["cancelled", before + 1], command);
  }
  const before = asked.length;
  for (const command of [
    "cat a.txt",
    "grep -r x open",
    "sort -uo out.txt a.txt",
    "sed -n 's/x/y/p' a.txt",
    "find . -name '*.md' -exec cat {} +",
    "cp -r open copied",
    "ls -la",
  ])
    assert.equal((await call("bash", { command })).state, "completed", command);
  assert.equal(asked.length, before);
});

test("a search is asked about only where a file lies that may not be read [G8]", async (t) => {
  const { call, asked, workdir } = await openGated(t, {
    permissions: { allow: ["bash"], deny: ["read(conf*)", "read(**/private.txt)"] },
  });
  await mkdir(join(workdir, "src", "deep"), { recursive: true });
  await writeFile(join(workdir, "src", "deep", "x.txt"), "x\n");
  assert.equal((await call("bash", { command: "grep -r x ." })).state, "completed");
  await writeFile(join(workdir, "src", "deep", "private.txt"), "x\n");
  assert.equal((await call("bash", { command: "grep -r x src" })).state, "cancelled");
  assert.equal(asked.length, 1);
  assert.match(asked[0]!.reasons.join(), /the rule deny read\(\*\*\/private\.txt\) could cover it/);
});

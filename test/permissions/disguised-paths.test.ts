import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { openGated, type GatedRuntime } from "./support.ts";

/** What reads and passes runs for real: the contents tell. */
async function openFull(t: TestContext): Promise<GatedRuntime> {
  const gated = await openGated(t, { permissions: { mode: "plan" }, sandbox: "off" });
  const { workdir } = gated;
  await mkdir(join(workdir, "sub"));
  await symlink(".", join(workdir, "self"));
  for (const [name, text] of [
    ["../notes (1).txt", "outside"],
    ["../plain.txt", "outside"],
    [".env", "TOP=secret"],
    ["id_rsa", "TOP secret"],
    ["a.txt", "text"],
    ["b c.txt", "text"],
  ] as const)
    await writeFile(join(workdir, name), `${text}\n`);
  return gated;
}

test("no pattern of a shell hides a file of secrets [G1 G8]", async (t) => {
  const { call, workdir } = await openFull(t);
  for (const command of [
    "cat .en[[:alpha:]]",
    "cat .en[]v]",
    "cat id_rs[a\\]]",
    'cat .e[n"]"]v',
    "cat '.e'[[=n=]]v",
    "cat i[d]_r[s]a",
    `cat .en["v]"[y]`,
    `x='[v'; cat .en$x"]"[y]`,
    `x='[v'; cat .en$x\\][y]`,
    `cat ${workdir}/.e*`,
    `cat -- ${workdir}/./sub/../.e*`,
    "cat $PWD/i*",
    "cat < $PWD/.e*",
    "nl < .en[[:alpha:]]",
    "x='['; cat .en${x}v]",
    'for f in *.txt .e*; do cat "$f"; done',
  ]) {
    const { state } = await call("bash", { command });
    assert.equal(state, "cancelled", command);
  }
  const { state } = await call("bash", { command: "cat $PWD/../.e*", cwd: "sub" });
  assert.equal(state, "cancelled");
  for (const command of ["cat [ab]*.txt", "wc -l ./*.txt", 'for f in ./*.txt sub/*; do head -1 "$f"; done', "echo *"]) {
    const { error } = await call("bash", { command });
    assert.doesNotMatch(error ?? "", /Refused/, command);
  }
});

test("no spelling of a path leads outside unseen: brackets, links before .., homes, patterns that are only shown [G1]", async (t) => {
  const { call } = await openFull(t);
  for (const command of [
    "cat '../notes (1).txt'",
    "cd sub && cat '../../notes (1).txt'",
    "grep '' '../notes (1).txt'",
    "cat self/../plain.txt",
    "comm a.txt self/../plain.txt",
    "cat s*/../plain.txt",
    "ls self/..",
    "find self/.. -maxdepth 1",
    "cat .?/plain.txt",
    "cat ~root/.bashrc",
    "cat < ~root/.bashrc",
    "ls ~root",
    "ls ~-",
    "x=a:~; cat ${x#a:}/.netrc",
    "echo /root/.*",
    "printf '%s\\n' /etc/ssl/*",
    'for f in ../*; do echo "$f"; done',
    'for f in *.txt ../*; do cat "$f"; done',
    "select f in ../*; do break; done < /dev/null",
    'a=(../*); echo "${a[@]}"',
  ]) {
    const { state } = await call("bash", { command });
    assert.equal(state, "cancelled", command);
  }
  for (const command of [
    "cat sub/../a.txt",
    "cat self/a.txt",
    "cat 'b c.txt'",
    "grep -c '(^a|b$)' a.txt",
    "grep -c '/x(y)' a.txt",
    "for i in 1 2; do echo $i; done",
    "cat ~+/a.txt",
  ]) {
    const { error } = await call("bash", { command });
    assert.doesNotMatch(error ?? "", /Refused/, command);
  }
});

test("git shows what is tracked, not what lies beside it [G8]", async (t) => {
  const { call, workdir } = await openFull(t);
  execFileSync("git", ["init", "-q"], { cwd: workdir });
  execFileSync("git", ["add", "a.txt", ".env"], { cwd: workdir });
  for (const command of [
    "git grep --untracked TOP",
    "git grep --untracked --no-exclude-standard TOP",
    "git show :.env",
    "git show HEAD:.env",
  ])
    assert.equal((await call("bash", { command })).state, "cancelled", command);
  assert.equal((await call("bash", { command: "git grep text -- a.txt" })).state, "completed");
  assert.equal((await call("bash", { command: "git show :a.txt" })).state, "completed");
});

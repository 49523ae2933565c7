import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "../support/runtime.ts";
import { looseTool } from "../support/engine.ts";
import { createLatchTool } from "../support/latch-tool.ts";
import { no, openGated, yes } from "./support.ts";

test("what reads outside the workdir, or may, is asked about by whatever way it is named [G1]", async (t) => {
  const { call, asked, workdir } = await openGated(t, { sandbox: "off" });
  await mkdir(join(workdir, "sub", ".aws"), { recursive: true });
  await symlink("/etc", join(workdir, "sub", "out"));
  await writeFile(join(workdir, "a.txt"), "hadow");
  await writeFile(join(workdir, "sub", ".aws", "foo"), "x");
  const inputs: { command: string; cwd?: string }[] = [
    { command: "cat passwd", cwd: "sub/out" },
    { command: "cat out/passwd", cwd: "sub" },
    { command: "cat foo", cwd: "sub/.aws" },
    { command: "cd sub && cat out/passwd" },
    { command: "cd sub && cd out && cat passwd" },
    { command: "cd && cat notes.txt" },
    { command: "cd - && cat notes.txt" },
    { command: "cat */*/passwd" },
    { command: "cat s$(cat a.txt)" },
    { command: "date -f/etc/passwd" },
    { command: "cat '/etc/passwd'" },
  ];
  for (const input of inputs) {
    const before = asked.length;
    const { state } = await call("bash", input);
    // A folder outside is not a folder to run in at all.
    assert.ok(asked.length === before + 1 || state === "failed", JSON.stringify(input));
    assert.notEqual(state, "completed", JSON.stringify(input));
  }
  for (const command of ["cd sub && ls", "grep -n '^/a.*(b)$' a.txt", "echo $HOME", "head -n5 a.txt"]) {
    const before = asked.length;
    await call("bash", { command });
    assert.equal(asked.length, before, command);
  }
});

test("a folder that looks like a repository runs nothing when git looks at it [L8]", async (t) => {
  const { call, workdir } = await openGated(t, { permissions: { mode: "plan" }, sandbox: "off" });
  for (const folder of ["x/objects", "x/refs", "build"]) await mkdir(join(workdir, folder), { recursive: true });
  await writeFile(join(workdir, "x", "HEAD"), "ref: refs/heads/main\n");
  const config = '[core]\n\tbare = false\n\tworktree = ..\n\tfsmonitor = "rm -rf build; touch PWNED; false"\n';
  await writeFile(join(workdir, "x", "config"), config);
  for (const input of [
    { command: "git status", cwd: "x" },
    { command: "cd x && git status" },
    { command: "git -C x status" },
    { command: "git --git-dir=x status" },
  ]) {
    await call("bash", input);
    assert.ok(existsSync(join(workdir, "build")) && !existsSync(join(workdir, "PWNED")), JSON.stringify(input));
  }
});

test("a path that leads elsewhere when the call runs than when it was allowed is refused [G1 G8]", async (t) => {
  const latch = createLatchTool();
  const { runtime, workdir, call } = await openGated(
    t,
    { permissions: { mode: "auto" }, limits: { max_parallel: 1 } },
    { tools: [latch.tool], answer: ({ toolId }) => (toolId === "latch" ? yes : no) },
  );
  await mkdir(join(workdir, ".git", "hooks"), { recursive: true });
  await mkdir(join(workdir, "d"));
  await mkdir(join(workdir, "e"));
  await writeFile(join(workdir, "e", "x"), "plain");
  await writeFile(join(workdir, ".env"), "SECRET=topsecret");
  // The only slot is taken, so the next two are allowed and wait.
  const first = call("latch", { name: "first" });
  await latch.runs("first");
  const write = call("write", { file_path: "d/pre-commit", content: "evil" });
  const read = call("read", { file_path: "e/x" });
  await until("both wait", async () => (await runtime.list({ states: ["pending"] })).length >= 2);
  await rename(join(workdir, "d"), join(workdir, "f"));
  await symlink(".git/hooks", join(workdir, "d"));
  await rm(join(workdir, "e", "x"));
  await symlink("../.env", join(workdir, "e", "x"));
  latch.finish("first");
  assert.equal((await first).state, "completed");
  for (const { state, error } of [await write, await read]) {
    assert.equal(state, "failed");
    assert.match(error ?? "", /leads elsewhere now than when it was allowed/);
  }
  assert.ok(!existsSync(join(workdir, ".git", "hooks", "pre-commit")));
});

test("in the mode auto a tool that no sandbox holds is asked about, and what it writes counts also with a url [G8]", async (t) => {
  const tools = [
    looseTool({ name: "shell2", run: () => Promise.resolve({ ok: true, output: "ran" }) }),
    {
      ...looseTool({ name: "download", run: () => Promise.resolve({ ok: true, output: "ran" }) }),
      resources: (input: unknown) => [
        { kind: "path" as const, path: (input as { to: string }).to, access: "write" as const },
      ],
    },
  ];
  const { call, asked } = await openGated(t, { permissions: { mode: "auto" } }, { tools });
  await call("shell2", { command: "rm -rf build" });
  await call("download", { url: "https://example.com", to: ".git/hooks/post-checkout" });
  assert.deepEqual(
    asked.map(({ isDanger }) => isDanger),
    [false, true],
  );
});

test("a search of a folder that holds what may not be read is asked about [G8]", async (t) => {
  const { call, asked, workdir } = await openGated(t, { permissions: { deny: ["read(private/**)"] } });
  await mkdir(join(workdir, "private"));
  await mkdir(join(workdir, "open"));
  await writeFile(join(workdir, "private", "x"), "needle");
  assert.equal((await call("grep", { pattern: "needle" })).state, "cancelled");
  assert.equal(asked.length, 1);
  assert.match((await call("grep", { pattern: "needle", path: "private" })).error ?? "", /the rule deny/);
  assert.match((await call("bash", { command: "cat x", cwd: "private" })).error ?? "", /the rule deny/);
  assert.match((await call("bash", { command: "cat priv?te/x" })).error ?? "", /the rule deny/);
  await call("grep", { pattern: "needle", path: "open" });
  assert.equal(asked.length, 1);
  assert.equal(await readFile(join(workdir, "private", "x"), "utf8"), "needle");
});

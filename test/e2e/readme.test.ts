import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { follow, openMachine } from "../cli/run-deckhand.ts";

const root = join(import.meta.dirname, "..", "..");

test("the program in the README does what its comments say [E5]", async (t) => {
  const readme = await readFile(join(root, "README.md"), "utf8");
  const program = /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? "";
  // Inside the repository, because only there "deckhand" means this package.
  const folder = await mkdtemp(join(root, "dist.readme-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, "program.ts"), program);
  const { workdir, env } = await openMachine(t);
  const child = spawn(process.execPath, [join(folder, "program.ts")], { cwd: workdir, env });
  const { code, stdout, stderr } = await follow(child, undefined).ended;
  assert.equal(code, 0, stderr);
  const lines = stdout.trim().split("\n");
  assert.deepEqual(lines.slice(0, 2), ["1 execution:created", "2 execution:started"]);
  assert.ok(lines.includes("cancelled Enough cooperative"), stdout);
  assert.equal(lines.filter((line) => /^\d+ execution:settled$/.test(line)).length, 3);
  assert.ok(lines.includes("completed"), stdout);
});

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { openMachine } from "../cli/run-deckhand.ts";
import { afterTest } from "../support/after-test.ts";
import { until } from "../support/runtime.ts";

test("a socket that was named from one folder is found from every other [D2]", async (t) => {
  const machine = await openMachine(t);
  const folder = join(dirname(machine.workdir), "sockets");
  mkdirSync(folder, { mode: 0o700 });
  const args = ["serve", "--json", "--socket", "s", "--workdir", machine.workdir];
  const started = machine.start(args, { cwd: folder });
  afterTest(t, async () => {
    started.child.kill("SIGKILL");
    await started.ended;
  });
  await until("it is ready", () => started.stdout().includes("\n"), 60_000);
  const status = await machine.run(["serve", "status", "--json"]);
  assert.equal(status.code, 0, status.stderr);
  assert.equal((JSON.parse(status.stdout) as { readonly url: string }).url, `unix:${join(folder, "s")}`);
  const stop = await machine.run(["serve", "stop"]);
  assert.deepEqual([stop.code, stop.stderr], [0, ""]);
  assert.equal((await started.ended).code, 0);
});

test("a file where the socket should be stays, and is wrong for good: a watchdog would not try again [D2, D3]", async (t) => {
  const machine = await openMachine(t);
  const path = join(machine.workdir, "s");
  writeFileSync(path, "mine");
  const { code, stdout, stderr } = await machine.run(["serve", "--socket", path]);
  const sentence = `deckhand: The daemon can't be served on the socket ${path}: a file is there already; name another one.\n`;
  assert.deepEqual([code, stdout, stderr], [78, "", sentence]);
  assert.equal(readFileSync(path, "utf8"), "mine");
});

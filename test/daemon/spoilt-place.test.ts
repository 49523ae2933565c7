import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openMachine } from "../cli/run-deckhand.ts";
import { serve, stateFolderOf } from "./support/serve.ts";

test("a pipe in place of the daemon's lock is one sentence for whoever meets it [D2]", async (t) => {
  const machine = await openMachine(t);
  const daemon = await serve(t, machine);
  daemon.child.kill("SIGTERM");
  await daemon.ended;
  const path = join(stateFolderOf(machine), "daemon.lock");
  execFileSync("mkfifo", [path]);
  const told = `deckhand: The pid file ${path} can't be used: it is no plain file. Move it away, or name another one.\n`;
  const started = await machine.run(["serve", "--port", "0"]);
  assert.deepEqual([started.code, started.stderr], [78, told]);
  const status = await machine.run(["serve", "status"]);
  assert.deepEqual([status.code, status.stderr], [2, told]);
});

for (const url of ["nowhere", "http://192.0.2.1:80", "unix:socket"]) {
  test(`a daemon.json that says ${url} gets no token; it says what to do, and stop works [D2, G6]`, async (t) => {
    const machine = await openMachine(t);
    const daemon = await serve(t, machine);
    const path = join(stateFolderOf(machine), "daemon.json");
    const facts = JSON.parse(readFileSync(path, "utf8")) as object;
    rmSync(path);
    writeFileSync(path, JSON.stringify({ ...facts, url }), { mode: 0o600 });
    const told = `deckhand: ${path} was changed: no daemon listens at "${url}". \`deckhand serve stop\` ends the one that runs (process ${daemon.pid}); then start it again.`;
    const status = await machine.run(["serve", "status"]);
    assert.deepEqual([status.code, status.stderr], [1, `${told}\n`]);
    const stopped = await machine.run(["serve", "stop"]);
    assert.deepEqual([stopped.code, stopped.stderr], [0, `${told} It is ended by a signal.\n`]);
    assert.equal((await daemon.ended).code, 143);
  });
}

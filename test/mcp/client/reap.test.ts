import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { systemClock } from "../../../src/core/clock.ts";
import { createProcesses } from "../../../src/process/processes.ts";
import { afterTest } from "../../support/after-test.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { commandsWith } from "../../process/support.ts";
import { serverFile } from "./support.ts";

const opener = join(import.meta.dirname, "../../fixtures/mcp/opens-a-server.ts");

test("a server whose runtime was killed with -9 is ended by the next one [C9 E4]", async (t) => {
  const folder = await temporaryFolder(t);
  const runFolder = join(folder, "run");
  mkdirSync(runFolder, { mode: 0o700 });
  const log = join(folder, "log");
  const words = [opener, runFolder, folder, process.execPath, serverFile, "immortal", `log=${log}`];
  const runtime = spawn(process.execPath, words, { stdio: ["ignore", "pipe", "inherit"] });
  afterTest(t, () => Promise.resolve(runtime.kill("SIGKILL")));
  const [said] = (await once(runtime.stdout, "data")) as [Buffer];
  assert.match(said.toString(), /^1\d tools/);
  const pid = Number(/^started (\d+)$/m.exec(readFileSync(log, "utf8"))?.[1]);
  runtime.kill("SIGKILL");
  await once(runtime, "exit");
  assert.equal(process.kill(pid, 0), true, "the server was to outlive its runtime");

  const next = createProcesses({ runFolder, clock: systemClock, sandbox: "off", graceMs: 200 });
  afterTest(t, () => next.close());
  const reaped = await next.reapAbandoned();
  assert.deepEqual(
    reaped.map(({ stop }) => [stop.killed.some((note) => note.pid === pid), stop.survivors]),
    [[true, []]],
  );
  assert.deepEqual(commandsWith(log), []);
});

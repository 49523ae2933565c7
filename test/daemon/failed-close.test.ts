import assert from "node:assert/strict";
import { test } from "node:test";
import { findDaemon, takeDaemonPlace } from "../../src/daemon/daemon-place.ts";
import { createRuntime, type Runtime } from "../../src/runtime/create-runtime.ts";
import { systemClock } from "../../src/core/clock.ts";
import { startDaemon } from "../../src/daemon/start-daemon.ts";
import { locateFolders } from "../../src/config/folders.ts";
import { openJournalReader } from "../../src/records/audit-log/log-reader.ts";
import { isolatedEnvironment } from "../support/runtime.ts";
import { temporaryFolder } from "../support/temporary.ts";

test("a daemon that could not keep its last record is gone all the same, and leaves its place [D2]", async (t) => {
  const home = await temporaryFolder(t);
  const env = isolatedEnvironment(home);
  const { workdir, state } = locateFolders(home, env);
  async function openRuntime(): Promise<Runtime> {
    const runtime = await createRuntime({ workdir: home, env });
    const close = async (): Promise<void> => {
      await runtime.close();
      throw new Error("The store could not be written: the disk is full.");
    };
    return Object.create(runtime, { close: { value: close } }) as Runtime;
  }
  const daemon = await startDaemon({
    workdir,
    stateFolder: state,
    listen: { port: 0 },
    openRuntime,
    journal: openJournalReader(home, env),
    clock: systemClock,
    exposesTools: false,
    offersInbox: false,
    isWatched: false,
    tell: () => undefined,
  });
  await daemon.ready;
  assert.notEqual(findDaemon(state), null);
  await assert.rejects(daemon.close(), { message: "The store could not be written: the disk is full." });
  assert.equal(findDaemon(state), null);
  await assert.rejects(fetch(`${daemon.url}/healthz`));
  const place = takeDaemonPlace(state);
  assert.ok(place.taken);
  place.release();
});

import assert from "node:assert/strict";
import { rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { lane } from "../support/require.ts";
import { until } from "../support/runtime.ts";
import { mountTmpfs, tmpfsAvailable } from "../support/tmpfs.ts";
import { fixture, openWatchdogs } from "./start-watchdog.ts";

describe("a watchdog on a full disk", lane("tmpfs", tmpfsAvailable()), () => {
  test("it starts its child again and hears its beats; what could not be kept is told [D3]", async (t) => {
    const disk = mountTmpfs(t, "1m");
    const dogs = await openWatchdogs(t);
    const log = join(disk, "dog.log");
    const env = {
      XDG_STATE_HOME: join(disk, "state"),
      WATCHDOG_LOG_FILE: log,
      WATCHDOG_MIN_UPTIME_SECONDS: "0.01",
      DECKHAND_WATCHDOG_HEARTBEAT: "required",
      DECKHAND_WATCHDOG_HANG_SECONDS: "5",
    };
    const dog = dogs.start(["node", fixture("beats.ts")], env);
    const { pid } = await dog.event("child:healthy");
    const { bavail, bsize } = statfsSync(disk);
    writeFileSync(join(disk, "filler"), Buffer.alloc(bavail * bsize));
    assert.equal(statfsSync(disk).bavail, 0);
    process.kill(Number(pid), "SIGKILL");
    const second = await dog.event("child:healthy", 2);
    assert.notEqual(second["pid"], pid);
    const warned = await dog.event("watchdog:warned");
    assert.match(String(warned["message"]), /^A record could not be kept: .*ENOSPC/);

    // The rest of its last page may have taken some lines.
    process.kill(Number(second["pid"]), "SIGKILL");
    const third = await dog.event("child:healthy", 3);
    rmSync(join(disk, "filler"));
    process.kill(Number(third["pid"]), "SIGKILL");
    await dog.event("child:healthy", 4);
    dog.child.kill("SIGTERM");
    assert.equal((await dog.ended).code, 0);
    const status = await until("a status", () => dogs.machine.run(["watchdog", "status", "--json"], { env }));
    const { restarts, state } = JSON.parse(status.stdout) as Record<string, unknown>;
    assert.deepEqual([restarts, state], [3, "stopped"]);
  });
});

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { systemClock } from "../../src/core/clock.ts";
import { startDaemon, type Daemon } from "../../src/daemon/start-daemon.ts";
import { openTrust } from "../../src/permissions/trust/trust.ts";
import { findDaemon } from "../../src/daemon/daemon-place.ts";
import { createRuntime, type Runtime } from "../../src/runtime/create-runtime.ts";
import { locateFolders } from "../../src/config/folders.ts";
import { openJournalReader } from "../../src/records/audit-log/log-reader.ts";
import { afterTest } from "../support/after-test.ts";
import { looseTool, createLatch } from "../support/engine.ts";
import { createManualClock } from "../support/manual-clock.ts";
import { isolatedEnvironment, until } from "../support/runtime.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { lane } from "../support/require.ts";
import { mountTmpfs, tmpfsAvailable } from "../support/tmpfs.ts";
import { ask, openDaemon, type DaemonUnderTest } from "./support/daemon.ts";

test("until all is recovered it is alive and not ready, and everything else has to wait [D2]", async (t) => {
  const home = await temporaryFolder(t);
  const env = isolatedEnvironment(home);
  const { state, workdir } = locateFolders(home, env);
  const mayOpen = Promise.withResolvers<Runtime>();
  const daemon: Daemon = await startDaemon({
    workdir,
    stateFolder: state,
    listen: { port: 0 },
    openRuntime: () => mayOpen.promise,
    journal: openJournalReader(home, env),
    clock: systemClock,
    exposesTools: false,
    offersInbox: false,
    isWatched: false,
    tell: () => undefined,
  });
  afterTest(t, () => daemon.close());
  const port = Number(daemon.url.split(":").at(-1));
  const token = readFileSync(join(state, "daemon-token"), "utf8").trim();
  const asked = async (path: string): Promise<[number, unknown]> => {
    const { status, json } = await ask(port, token, { path });
    return [status, json()];
  };
  assert.deepEqual(await asked("/healthz"), [200, { status: "ok" }]);
  assert.deepEqual(await asked("/readyz"), [503, { status: "starting" }]);
  const notReady = { error: { code: "NOT_READY", message: "The daemon is starting." } };
  assert.deepEqual(await asked("/api/status"), [503, notReady]);
  assert.deepEqual(await asked("/api/events"), [503, notReady]);
  assert.equal((await ask(port, "wrong", { path: "/api/status" })).status, 401);
  assert.equal(findDaemon(state), null);
  mayOpen.resolve(await createRuntime({ workdir: home, env }));
  await daemon.ready;
  assert.deepEqual(await asked("/readyz"), [200, { status: "ready" }]);
  assert.equal(findDaemon(state)?.url, daemon.url);
});

test("while it stops it is not ready, lets nobody begin anything, and ends when its calls have [D2]", async (t) => {
  const release = createLatch();
  const tool = looseTool({
    name: "stubborn",
    run: async () => {
      await release.opened;
      return { ok: true, output: "at last" };
    },
  });
  const world = await openDaemon(t, { config: { tools: [tool] } });
  const call = world.runtime.call("stubborn");
  await until("it runs", async () => (await world.runtime.list({ states: ["running"] })).length === 1);
  const closing = world.daemon.close();
  assert.deepEqual((await world.ask({ path: "/readyz" })).json(), { status: "stopping" });
  assert.equal((await world.ask({ path: "/healthz" })).status, 200);
  assert.equal((await world.ask({ path: "/api/calls" })).status, 503);
  release.open();
  await closing;
  assert.equal((await call).state, "cancelled");
  await assert.rejects(world.ask({ path: "/healthz" }), { code: "ECONNREFUSED" });
});

test("a runtime that can't be opened is the reason why the daemon is never ready [D2]", async (t) => {
  const home = await temporaryFolder(t);
  writeFileSync(join(home, "deckhand.json"), "{ no JSON");
  await assert.rejects(openDaemon(t, { home }), { code: "CONFIG_INVALID" });
});

test("a tool file that is saved while nobody calls anything is found by the daemon itself [D2]", async (t) => {
  const home = await temporaryFolder(t);
  const clock = createManualClock();
  const folder = join(home, "tools");
  mkdirSync(folder);
  const { trust } = locateFolders(home, isolatedEnvironment(home));
  const file = join(folder, "shout.ts");
  writeFileSync(file, shout);
  openTrust({ workdir: home, path: trust, toolFolders: ["tools"], now: () => 0 }).grant("me");
  rmSync(file);
  const { runtime } = await openDaemon(t, { home, clock });
  assert.deepEqual(runtime.customTools().files, []);
  writeFileSync(file, shout);
  await until("it is found", () => {
    clock.advance(10_000);
    return runtime.customTools().files.length === 1;
  });
  assert.equal((await runtime.call("shout")).result?.output, "HEY");
});

const shout = `export const TOOL_SPEC = { name: "shout", description: "Shouts.", input_schema: { type: "object", properties: {} } };
export function run() { return "HEY"; }
`;

const readiness = async ({ ask: asked }: DaemonUnderTest): Promise<[number, unknown, unknown, unknown]> => {
  const [ready, status] = [await asked({ path: "/readyz" }), await asked({ path: "/api/status" })];
  return [ready.status, ready.json()["status"], status.json()["ready"], status.json()["warnings"]];
};

test("a daemon that can't write its records is not ready, says why, and recovers by itself [D2]", async (t) => {
  const under = await openDaemon(t);
  assert.deepEqual(await readiness(under), [200, "ready", true, []]);
  // As root, too, no file can be written where a folder is.
  const inTheWay = join(under.folders.data, `probe-${process.pid}`);
  mkdirSync(join(inTheWay, "full"), { recursive: true });
  await until("it is noticed", async () => (await readiness(under))[0] === 503);
  const [, state, isReady, warnings] = await readiness(under);
  assert.deepEqual([state, isReady], ["unwritable", false]);
  assert.match(String(warnings), /^The store \S+ can't be used: /);
  rmSync(inTheWay, { recursive: true });
  await until("it recovers", async () => (await readiness(under))[0] === 200);
  assert.deepEqual(await readiness(under), [200, "ready", true, []]);
});

test(
  "a full disk: not ready, a warning with the reason, and ready again when there is room [D2]",
  lane("tmpfs", tmpfsAvailable()),
  async (t) => {
    const disk = mountTmpfs(t, "8m");
    const under = await openDaemon(t, { home: disk });
    const { bavail, bsize } = statfsSync(disk);
    writeFileSync(join(disk, "filler"), Buffer.alloc(bavail * bsize));
    await until("it is noticed", async () => (await readiness(under))[0] === 503);
    const [, state, isReady, warnings] = await readiness(under);
    assert.deepEqual([state, isReady], ["unwritable", false]);
    assert.match(String(warnings), /^The disk that holds the store \S+ is full, so nothing was written/);
    rmSync(join(disk, "filler"));
    await until("there is room", async () => (await readiness(under))[0] === 200);
    assert.deepEqual(await readiness(under), [200, "ready", true, []]);
  },
);

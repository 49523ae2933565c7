import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createTrust } from "../../src/permissions/trust/open-trust.ts";
import { deckhand, type Machine } from "../cli/run-deckhand.ts";
import { openDaemonMachine, stateFolder, type DaemonMachine } from "../e2e/daemon-machine.ts";
import { until } from "../support/runtime.ts";

/** However slow this machine is, each death counts. */
const quick = {
  WATCHDOG_RESTART_BACKOFF_SECONDS: "0.05",
  WATCHDOG_MAX_BACKOFF_SECONDS: "0.2",
  WATCHDOG_MIN_UPTIME_SECONDS: "600",
};
/** Without a sandbox a tool can do what this is about. */
const settings = { sandbox: "off", permissions: { allow: ["pulse"] } };

/** Notes that it ran; a deadly one kills the daemon first. */
function pulse(isDeadly: boolean): string {
  return `import { appendFileSync, existsSync, readFileSync } from "node:fs";
export const TOOL_SPEC = { name: "pulse", description: "Note a beat.", input_schema: { type: "object", properties: {} } };
export const run = () => {
  ${isDeadly ? 'if (existsSync("daemon.json")) process.kill(JSON.parse(readFileSync("daemon.json", "utf8")).process.pid, "SIGKILL");' : ""}
  appendFileSync("beats", "x");
  return { ok: true, output: "beat" };
};
`;
}

function save({ workdir }: Machine, content: string): void {
  const path = join(workdir, "tools", "pulse.js");
  mkdirSync(join(workdir, "tools"), { recursive: true });
  writeFileSync(`${path}.new`, content);
  renameSync(`${path}.new`, path);
}

function trust({ workdir, env }: Machine): void {
  const known = createTrust(workdir, env);
  known.grant("kim", { files: known.files().map(({ path }) => path), quarantined: known.quarantined() });
}

const job = ["schedule", "add", "pulse", "--every", "1s", "--jitter", "0s", "--pause-after", "0", "--tool", "pulse"];

function countBeats({ workdir }: Machine): number {
  const path = join(workdir, "beats");
  return existsSync(path) ? readFileSync(path, "utf8").length : 0;
}

/** The tool finds the daemon by what that says of itself. */
function showDaemon(machine: DaemonMachine): void {
  symlinkSync(join(stateFolder(machine), "daemon.json"), join(machine.workdir, "daemon.json"));
}

test("a version whose promotion began a crash loop is rolled back before the next start, and the daemon lives [D3 V5]", async (t) => {
  const machine = await openDaemonMachine(t, {
    program: deckhand,
    settings,
    env: quick,
    prepare(before) {
      save(before, pulse(false));
      trust(before);
    },
  });
  await machine.ready();
  assert.equal((await machine.ask("/api/tools/pulse/call", { input: {} }))?.body.state, "completed");
  // While no call runs: what changes then is taken for the call's work.
  save(machine, pulse(true));
  showDaemon(machine);
  await machine.json(job);
  const told = /deckhand: warning: (pulse@[0-9a-f]{12}) was rolled back\. A crash loop began .+: \d deaths since .+Z\./;
  const warning = await until("a rollback", () => told.exec(readLog(machine)) ?? undefined, 60_000);
  const daemon = await machine.ready();
  const beats = countBeats(machine);
  await until("two more beats", () => countBeats(machine) >= beats + 2, 30_000);
  assert.equal(await machine.ready(), daemon);

  const [event] = (await machine.json(["rollout", "history", "pulse"])) as Record<string, unknown>[];
  assert.deepEqual([event!["type"], event!["version"], event!["by"]], ["rolled_back", warning[1], "rule"]);
  const status = (await machine.json(["watchdog", "status"])) as Record<string, unknown>;
  assert.deepEqual([status["state"], status["safe_mode"]], ["running", false]);
  assert.ok(Number(status["crashes"]) >= 3, String(status["crashes"]));
});

test("a tool that kills every daemon, and has no version to go back to, is left out in safe mode [D3]", async (t) => {
  const machine = await openDaemonMachine(t, {
    program: deckhand,
    settings,
    env: { ...quick, DECKHAND_WATCHDOG_UNHEALTHY_EXITS: "3" },
    prepare(before) {
      save(before, pulse(true));
      trust(before);
    },
  });
  await machine.ready();
  await machine.json(job);
  await until("a beat", () => countBeats(machine) > 0, 30_000);
  showDaemon(machine);
  await until("safe mode", () => machine.dog.stderr().includes("in safe mode (start"), 60_000);
  const daemon = await machine.ready();
  const status = (await machine.ask("/api/status"))?.body;
  assert.equal(status.safe_mode, true);
  assert.match(status.warnings.join("\n"), /^Safe mode is on/m);
  const runs = async () => (await machine.ask("/api/jobs/pulse/history?limit=20"))?.body.items ?? [];
  const skipped = await until(
    "a run that found no tool",
    async () => (await runs()).find((run: { state: string; reason: string }) => run.reason?.includes("afe mode")),
    30_000,
  );
  assert.equal(skipped.state, "skipped");
  assert.equal(await machine.ready(), daemon);
});

function readLog({ workdir }: Machine): string {
  return readFileSync(join(workdir, ".deckhand", "logs", "watchdog.log"), "utf8");
}

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "../support/runtime.ts";
import { openMachine } from "./run-deckhand.ts";

const unserved = "Nothing starts jobs here now: no daemon runs. Start one with `deckhand serve`.\n";

test("without a daemon, a run whose command was killed is shown as lost, and does not keep the job from running [D1]", async (t) => {
  const machine = await openMachine(t);
  const input = JSON.stringify({ command: "[ -e begun ] && echo again && exit; touch begun; sleep 60" });
  const added = await machine.run(["schedule", "add", "long", "--every", "1d", "--tool", "bash", "--input", input]);
  assert.equal(added.code, 0, added.stderr);
  const history = async (): Promise<Record<string, unknown>[]> =>
    JSON.parse((await machine.run(["schedule", "history", "--json"])).stdout) as Record<string, unknown>[];
  const running = machine.start(["schedule", "run", "long"]);
  await until("it runs", () => existsSync(join(machine.workdir, "begun")), 60_000);
  running.child.kill("SIGKILL");
  await running.ended;
  const [left] = await history();
  assert.deepEqual([left?.["state"], left?.["ended_at"]], ["lost", null]);
  for (const [args, told] of [
    [["schedule"], / lost (?:now|\d+ s) /],
    [["schedule", "show", "long"], / lost +person +Its process is gone, so nobody knows how far it came\./],
  ] as const) {
    assert.match((await machine.run(args)).stdout, told);
  }
  const next = await machine.run(["schedule", "run", "long"]);
  assert.deepEqual([next.code, next.stdout], [0, "again\n"], next.stderr);
  assert.deepEqual(
    (await history()).map(({ state }) => state),
    ["succeeded", "lost"],
  );
});

test("on a machine whose zone nobody has said, times are UTC [D1]", async (t) => {
  const machine = await openMachine(t);
  const next = await machine.run(["schedule", "next", "--cron", "0 9 * * *", "--limit", "1"], { env: { TZ: "" } });
  assert.equal(next.code, 0, next.stderr);
  assert.match(next.stdout, /^\d{4}-\d\d-\d\d 09:00:00 \+00:00\n$/);
});

test("a zone in the settings that there is not is wrong use, and the setting is named [D1]", async (t) => {
  const machine = await openMachine(t);
  const env = { DECKHAND_SCHEDULE_TIME_ZONE: "Europe/Berln" };
  const { code, stderr } = await machine.run(["schedule"], { env });
  assert.equal(code, 2);
  assert.match(
    stderr,
    /^deckhand: environment .*schedule\.time_zone: There is no time zone "Europe\/Berln": did you mean Europe\/Berlin.*\?\n$/,
  );
});

test("who orders a prompt where there is no model is told at once, and the job is kept [D1]", async (t) => {
  const machine = await openMachine(t);
  // Nobody listens there.
  const env = { OLLAMA_HOST: "http://127.0.0.1:9" };
  const add = (name: string, ...args: string[]) =>
    machine.run(["schedule", "add", name, "--every", "1d", "--prompt", "hi", ...args], { env });
  const none = await add("none");
  assert.deepEqual(
    [none.code, none.stderr],
    [
      0,
      `deckhand: warning: Its runs fail as things are: There is no model to ask: name one in the job, or in model.name of the settings.\n${unserved}`,
    ],
  );
  const script = join(machine.workdir, "talk.json");
  await writeFile(script, '["hello"]');
  assert.equal((await add("scripted", "--model", `script:${script}`)).stderr, unserved);
});

test("who orders an agent that is not installed is told at once, and the job is kept [D1]", async (t) => {
  const machine = await openMachine(t);
  const env = { PATH: "/usr/bin:/bin" };
  const args = ["schedule", "add", "a", "--every", "1d", "--agent", "claude", "--message", "hi"];
  const { code, stderr } = await machine.run(args, { env });
  assert.equal(code, 0, stderr);
  assert.match(stderr, /^deckhand: warning: The agent "claude" is not installed here: .* To install it: npm .*\n/);
  assert.ok(stderr.endsWith(unserved), stderr);
});

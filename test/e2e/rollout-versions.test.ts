import assert from "node:assert/strict";
import { rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { half, openToolMachine, routes, shout, shouting } from "./tool-machine.ts";

test("a stable version whose copy is gone or damaged: calls go on, and it is said", async (t) => {
  for (const damage of ["gone", "damaged"] as const) {
    const machine = await openToolMachine(t, { "shout.js": shouting("") });
    const first = await machine.open(half);
    const { version } = await shout(first, "ses_0");
    await machine.save("shout.js", shouting("/* new */"));
    await shout(first, "ses_0");
    const rollouts = await first.rollouts();
    const { release } = await rollouts.explain("shout");
    assert.equal(release.rollout?.status, "running");
    await first.close();
    const copy = join(machine.workdir, ".deckhand", "versions", release.stable.hash);
    if (damage === "gone") await rm(copy, { recursive: true });
    else await writeFile(join(copy, "files", "shout.js"), "something else");

    const runtime = await machine.open(half);
    const seen = await routes(runtime, 5);
    const now = `shout@${release.rollout.hash.slice(0, 12)}`;
    assert.deepEqual(seen, new Set([`stable ${now} completed`]));
    assert.ok(
      runtime.warnings.some((warning) => warning.includes(`The copy of ${version}, which was stable, is gone`)),
      runtime.warnings.join("\n"),
    );
    const [last] = await (await runtime.rollouts()).history({ tool: "shout", limit: 1 });
    assert.deepEqual([last?.type, last?.reason], ["live", "What was stable is gone."]);
  }
});

test("a copy that is damaged while the runtime is up, and a host that must start again: the call goes on", async (t) => {
  const machine = await openToolMachine(t, { "shout.js": shouting("") });
  const runtime = await machine.open(half);
  await shout(runtime, "ses_0");
  await machine.save("shout.js", shouting("/* new */"));
  await shout(runtime, "ses_0");
  const { release } = await (await runtime.rollouts()).explain("shout");
  await writeFile(join(machine.workdir, ".deckhand", "versions", release.stable.hash, "files", "shout.js"), "no");
  const { result } = await runtime.call("tool_registry_status");
  const { processes } = JSON.parse(result?.output ?? "") as { processes: { pid: number }[] };
  for (const { pid } of processes) process.kill(pid, "SIGKILL");
  const seen = await routes(runtime, 20);
  assert.deepEqual(new Set([...seen].map((each) => each.split(" ")[2])), new Set(["completed"]));
});

test("a content that was rolled back is not used because nothing else is there: the tool is gone, and says why [V5]", async (t) => {
  const machine = await openToolMachine(t, { "shout.js": shouting("") });
  const first = await machine.open(half);
  await shout(first, "ses_0");
  await machine.save("shout.js", shouting("/* new */"));
  await shout(first, "ses_0");
  const rollouts = await first.rollouts();
  await rollouts.rollback("shout", { kind: "hard" });
  const { release } = await rollouts.explain("shout");
  await first.close();
  await rm(join(machine.workdir, ".deckhand", "versions", release.stable.hash), { recursive: true });
  const runtime = await machine.open(half);
  assert.equal((await shout(runtime, "ses_0")).errorType, "unknown_tool");
  const [file] = runtime.customTools().files;
  assert.deepEqual(
    [file?.state, file?.problem?.message],
    ["broken", "It was rolled back, and the copy of what was stable is gone from .deckhand/versions."],
  );
  await (await runtime.rollouts()).resume("shout");
  assert.equal((await shout(runtime, "ses_0")).state, "completed");
});

test("a file that gets another name goes on with what it has, also when that is another content", async (t) => {
  const machine = await openToolMachine(t, { "shout.js": shouting("") });
  const runtime = await machine.open(half);
  const rollouts = await runtime.rollouts();
  const first = await shout(runtime, "ses_0");
  await rename(join(machine.folder, "shout.js"), join(machine.folder, "loud.js"));
  const { state, version } = await shout(runtime, "ses_0");
  assert.deepEqual([state, version], ["completed", first.version]);
  const [view] = await rollouts.list("shout");
  assert.deepEqual([view?.file, view?.status], ["tools/loud.js", "none"]);

  await rm(join(machine.folder, "loud.js"));
  await machine.save("very_loud.js", shouting("/* new */"));
  const next = await shout(runtime, "ses_0");
  assert.deepEqual([next.state, next.route, next.version === first.version], ["completed", "stable", false]);
  const [last] = await rollouts.history({ tool: "shout", limit: 1 });
  assert.equal(last?.reason, "The tool is in another file now.");
});

test("of two files with one name only one is introduced, however often one looks [V1]", async (t) => {
  const machine = await openToolMachine(t, { "a.js": shouting("/* a */"), "b.js": shouting("/* b */") });
  for (let round = 0; round < 2; round++) {
    const runtime = await machine.open(half);
    await shout(runtime, "ses_0");
    await runtime.reloadTools();
    const [view] = await (await runtime.rollouts()).list("shout");
    assert.deepEqual([view?.file, view?.status], ["tools/a.js", "none"]);
    assert.equal((await (await runtime.rollouts()).history({ limit: 10 })).length, 1);
    await runtime.close();
  }
});

test("a process that finds everything as it was writes nothing about it [V1]", async (t) => {
  const names = Array.from({ length: 5 }, (_, index) => `shout_${index}`);
  const files = names.map((name) => [`${name}.js`, shouting("", { more: { name } })] as const);
  const machine = await openToolMachine(t, Object.fromEntries(files));
  const first = await machine.open(half);
  const known = await (await first.rollouts()).list();
  assert.deepEqual(
    known.map(({ tool }) => tool),
    names,
  );
  await first.close();
  const database = join(machine.workdir, ".deckhand", "deckhand.db");
  const before = readRollouts(database);
  const next = await machine.open(half);
  assert.deepEqual(await (await next.rollouts()).list(), known);
  await next.close();
  assert.equal(readRollouts(database), before);
});

/** What the rollouts have in the store. */
function readRollouts(path: string): string {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const rows = [
      ...database.prepare("SELECT name, body FROM rollout_documents ORDER BY name").all(),
      ...database.prepare("SELECT id, tool FROM rollout_events ORDER BY id").all(),
    ];
    return JSON.stringify(rows);
  } finally {
    database.close();
  }
}

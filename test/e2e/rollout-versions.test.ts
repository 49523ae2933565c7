import assert from "node:assert/strict";
import { readFile, rename, rm, writeFile } from "node:fs/promises";
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

for (const known of ["its history", "only the copy that worked last"] as const) {
  test(`a damaged release: what was stable stays so by ${known}, and the trial begins again [V1]`, async (t) => {
    const machine = await openToolMachine(t, { "shout.js": shouting("") });
    const first = await machine.open(half);
    const { version } = await shout(first, "ses_0");
    await machine.save("shout.js", shouting("/* bad */"));
    await shout(first, "ses_0");
    await (await first.rollouts()).rollback("shout", { kind: "soft" });
    await machine.save("shout.js", shouting("/* new */"));
    await shout(first, "ses_0");
    const [before] = await (await first.rollouts()).list("shout");
    assert.equal(before?.status, "running");
    await first.close();
    const database = new DatabaseSync(join(machine.workdir, ".deckhand", "deckhand.db"));
    database.exec("UPDATE rollout_documents SET body = '{\"v\":1,' WHERE name = 'release/shout'");
    if (known !== "its history") database.exec("DELETE FROM rollout_events");
    database.close();
    const look = await machine.run(["doctor", "--json"]);
    assert.match(look.stdout, /What is known of the versions of shout is damaged/);

    const runtime = await machine.open(half);
    const warning = runtime.warnings.find((each) => each.startsWith("shout: What was known"));
    assert.match(warning ?? "", /was damaged: this one is stable, by what its history and its copies tell/);
    const seen = await routes(runtime, 20);
    assert.deepEqual(seen, new Set([`stable ${version} completed`, `canary ${before.canary} completed`]));
    const rollouts = await runtime.rollouts();
    const { view, release } = await rollouts.explain("shout");
    assert.deepEqual([view.status, view.stable, view.canary], ["running", version, before.canary]);
    assert.match(view.reason, /What was known of the tool's versions was damaged/);
    // What was rolled back stays out, as far as that is known.
    assert.equal(Object.keys(release.out).length, known === "its history" ? 1 : 0);
    assert.match(
      (await machine.run(["doctor", "--json"])).stdout,
      /What was known of the versions of shout was damaged/,
    );
    await rollouts.hold("shout", "let me look");
    assert.doesNotMatch((await rollouts.list("shout"))[0]?.reason ?? "", /damaged/);
    await runtime.close();
    const log = await readFile(join(machine.workdir, ".deckhand", "logs", "chat_log.jsonl"), "utf8");
    assert.match(log, /"type":"rollout".*was damaged: this one is stable/);
  });
}

test("a damaged release is told where edits are live at once, too", async (t) => {
  const machine = await openToolMachine(t, { "shout.js": shouting("") });
  const first = await machine.open();
  await shout(first, "ses_0");
  await first.close();
  const database = new DatabaseSync(join(machine.workdir, ".deckhand", "deckhand.db"));
  database.exec("UPDATE rollout_documents SET body = '7' WHERE name = 'release/shout'");
  database.close();
  const { stderr } = await machine.run(["rollout"]);
  assert.match(stderr.replaceAll(/\s+/g, " "), /warning: shout: What was known of the tool's versions was damaged/);
  const log = await readFile(join(machine.workdir, ".deckhand", "logs", "chat_log.jsonl"), "utf8");
  assert.match(log, /"type":"rollout".*was damaged: this one is stable/);
});

test("a file that gets another name goes on with what it has; what is changed with the name is tried first [V1]", async (t) => {
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
  const seen = await routes(runtime, 20);
  const [tried] = await rollouts.list("shout");
  assert.deepEqual([tried?.file, tried?.status, tried?.stable], ["tools/very_loud.js", "running", first.version]);
  assert.deepEqual(seen, new Set([`stable ${first.version} completed`, `canary ${tried?.canary} completed`]));

  // The next process finds both, each under the name it was kept by.
  await runtime.close();
  const next = await machine.open(half);
  assert.deepEqual(await routes(next, 20), seen);
  await (await next.rollouts()).rollback("shout", { kind: "soft" });
  assert.deepEqual(await routes(next, 5), new Set([`stable ${first.version} completed`]));
});

test("another name does not let out what is being tried, or was rolled back [V1 V5]", async (t) => {
  const machine = await openToolMachine(t, { "shout.js": shouting("") });
  const runtime = await machine.open(half);
  const rollouts = await runtime.rollouts();
  const { version } = await shout(runtime, "ses_0");
  await machine.save("shout.js", shouting("/* new */"));
  assert.equal((await routes(runtime, 20)).size, 2);
  await rename(join(machine.folder, "shout.js"), join(machine.folder, "loud.js"));
  assert.equal((await routes(runtime, 20)).size, 2);
  const [tried] = await rollouts.list("shout");
  assert.deepEqual([tried?.file, tried?.status, tried?.percent], ["tools/loud.js", "running", 50]);

  await rollouts.rollback("shout", { kind: "soft" });
  await rename(join(machine.folder, "loud.js"), join(machine.folder, "very_loud.js"));
  assert.deepEqual(await routes(runtime, 5), new Set([`stable ${version} completed`]));
  assert.equal(runtime.customTools().files[0]?.release, "rolled_back");
});

test("a tool that moves into another file, while its own becomes another tool, is tried first [V1]", async (t) => {
  const machine = await openToolMachine(t, { "shout.js": shouting("") });
  const runtime = await machine.open(half);
  const { version } = await shout(runtime, "ses_0");
  await machine.save("loud.js", shouting("/* new */"));
  assert.deepEqual(await routes(runtime, 5), new Set([`stable ${version} completed`]));
  await machine.save("shout.js", shouting("", { more: { name: "whisper" } }));
  const seen = await routes(runtime, 20);
  const [tried] = await (await runtime.rollouts()).list("shout");
  assert.deepEqual([tried?.file, tried?.status, tried?.stable], ["tools/loud.js", "running", version]);
  assert.deepEqual(seen, new Set([`stable ${version} completed`, `canary ${tried?.canary} completed`]));
  assert.equal((await runtime.call("whisper", { text: "a" })).state, "completed");
});

test("a tool that moves into another file is live with the next call where edits are live at once [C2]", async (t) => {
  const machine = await openToolMachine(t, { "shout.js": shouting("") });
  const runtime = await machine.open();
  const { version } = await shout(runtime, "ses_0");
  await machine.save("loud.js", shouting("/* new */"));
  await shout(runtime, "ses_0");
  await machine.save("shout.js", shouting("", { more: { name: "whisper" } }));
  const moved = await shout(runtime, "ses_0");
  assert.deepEqual([moved.state, moved.version === version], ["completed", false]);
});

test("a content that was kept under two names is found when it is in no file any more [V1]", async (t) => {
  const machine = await openToolMachine(t, { "shout.js": shouting("") });
  const runtime = await machine.open(half);
  const { version } = await shout(runtime, "ses_0");
  await rename(join(machine.folder, "shout.js"), join(machine.folder, "loud.js"));
  // Looked at, but never called by that name.
  await runtime.prepareTools();
  await machine.save("loud.js", shouting("/* new */"));
  await runtime.close();
  const next = await machine.open(half);
  const seen = await routes(next, 20);
  const [view] = await (await next.rollouts()).list("shout");
  assert.deepEqual([view?.status, view?.stable], ["running", version]);
  assert.deepEqual(seen, new Set([`stable ${version} completed`, `canary ${view?.canary} completed`]));
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

test("a second file with the name of a tool that is tried changes nothing about that [V1]", async (t) => {
  const machine = await openToolMachine(t, { "a.js": shouting("") });
  const runtime = await machine.open(half);
  await shout(runtime, "ses_0");
  await machine.save("a.js", shouting("/* new */"));
  const seen = await routes(runtime, 20);
  const tool = runtime.tools.resolve("shout");
  await machine.save("b.js", shouting("/* b */"));
  for (let round = 0; round < 2; round++) {
    await runtime.reloadTools();
    assert.equal(runtime.tools.resolve("shout"), tool);
  }
  assert.deepEqual(await routes(runtime, 20), seen);
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

import assert from "node:assert/strict";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { test, type TestContext } from "node:test";
import type { TaskOrder } from "../../../src/core/task.ts";
import { serveScript } from "../../../packages/testing/src/serve-script.ts";
import { listAdapters } from "../../../src/tasks/adapters/list-adapters.ts";
import { afterTest } from "../../support/after-test.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { anOrder } from "./an-order.ts";
import { openTasks } from "../support/open-tasks.ts";
import { driveAgent, type Drive } from "./drive-agent.ts";

const program = fileURLToPath(new URL("../../fixtures/cli/deckhand.ts", import.meta.url));
const deckhand = listAdapters({ own: [process.execPath, program] }).get("deckhand")!;

test("deckhand does a task of its own, tells of it and goes on with its session [T7] [T8]", async (t) => {
  const call = { tool: "read_file", input: { path: "notes.txt" } };
  const place = await makePlace(t, [
    { text: "I look.", calls: [call], expect: { contains: "--help\n🎉" } },
    "It says heron.",
    { text: "Still heron.", expect: { contains: "again?" } },
  ]);
  const first = await run(t, place, { message: "--help\n🎉" });
  assert.deepEqual(first.verdict, { ok: true, text: "It says heron." });
  assert.match(first.sessionId!, /^ses_/);
  const progress = first.news.flatMap((each) => each.progress ?? []);
  assert.ok(
    progress.some((line) => /notes\.txt/.test(line)),
    progress.join("; "),
  );
  assert.equal(first.news.at(-1)!.isDone, true);

  const second = await run(t, place, { message: "again?", resume: first.sessionId });
  assert.deepEqual(second.verdict, { ok: true, text: "Still heron." });
  assert.equal(second.sessionId, first.sessionId);
});

test("deckhand gets the system prompt as one, and the message as it is [T8]", async (t) => {
  const server = await serveScript({ turns: ["Yes."] });
  afterTest(t, () => server.close());
  const { folder, cwd } = await makePlace(t, []);
  const order = anOrder({ cwd, model: "anthropic/fake", message: "-m\n", systemPrompt: "-be\nterse" });
  const env = {
    PATH: process.env["PATH"]!,
    HOME: folder,
    ANTHROPIC_API_KEY: "fake",
    ANTHROPIC_BASE_URL: server.url,
  };
  const { ended } = await driveAgent(t, { adapter: deckhand, order, folder, env });
  assert.deepEqual((await ended).verdict, { ok: true, text: "Yes." });
  const [{ system, messages }] = server.requests as [(typeof server.requests)[number]];
  assert.match(system, /^You are Deckhand[^]*\n\n-be\nterse$/);
  assert.match(JSON.stringify(messages), /"text":"-m"/);
});

test("deckhand's failure says why [T8]", async (t) => {
  const place = await makePlace(t, [
    { text: "x", fail: { kind: "rejected", message: "no such luck", times: "always" } },
  ]);
  const { verdict } = await run(t, place, {});
  assert.equal(verdict.ok, false);
  assert.match(verdict.ok ? "" : verdict.error, /^deckhand failed: .*no such luck/);
});

test("deckhand without a model ends without an answer [T8]", async (t) => {
  const place = await makePlace(t, ["x"]);
  const { verdict, exit } = await run(t, place, { model: "script:nowhere.json" });
  assert.equal(exit.code, 2);
  assert.match(verdict.ok ? "" : verdict.error, /exited without an answer \(exit code 2\).*nowhere\.json/);
});

test("deckhand masks what the one that ordered it knows to be secret, in what it prints and in what it keeps (S-L5) [G6]", async (t) => {
  const secret = "a heron in hunter2 clothing";
  const { folder, cwd, model } = await makePlace(t, [
    { text: `I read ${secret}.`, calls: [{ tool: "read_file", input: { path: "notes.txt" } }] },
    `It is ${secret}.`,
  ]);
  await writeFile(join(cwd, "notes.txt"), `${secret}\n`);
  const adapters = listAdapters({ own: [process.execPath, program] });
  const environment = { PATH: process.env["PATH"], HOME: folder };
  const { manager } = await openTasks(t, { adapters, environment, workdir: cwd, knownSecrets: () => [secret] }, folder);
  const { id } = await manager.start({ agent: "deckhand", message: `What is in it? ${secret}?`, model, door: "mcp" });
  const end = await manager.wait(id, 120_000);
  assert.equal(end.state, "completed", end.error ?? "");
  assert.match(end.result!, /^It is \[MASKED:[^\]]+\]\.$/);
  await writeFile(join(cwd, "notes.txt"), "");
  await rm(join(folder, "script.json"));
  const kept = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = kept.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  // The store of the manager has to keep what it was ordered until that is done.
  const texts = files.filter((path) => !path.startsWith(join(folder, "deckhand.db")));
  assert.ok(texts.some((path) => path.endsWith("chat_log.jsonl")));
  for (const path of texts) assert.ok(!(await readFile(path, "latin1")).includes(secret), path);
});

interface Place {
  readonly folder: string;
  readonly cwd: string;
  readonly model: string;
}

async function makePlace(t: TestContext, turns: readonly unknown[]): Promise<Place> {
  const folder = await temporaryFolder(t);
  const cwd = join(folder, "work");
  await mkdir(cwd);
  await writeFile(join(cwd, "notes.txt"), "heron\n");
  await writeFile(join(folder, "script.json"), JSON.stringify({ turns }));
  return { folder, cwd, model: `script:${join(folder, "script.json")}` };
}

async function run(t: TestContext, { folder, cwd, model }: Place, order: Partial<TaskOrder>): Promise<Drive> {
  const env = { PATH: process.env["PATH"]!, HOME: folder };
  const request = { adapter: deckhand, order: anOrder({ cwd, model, ...order }), folder, env };
  return (await driveAgent(t, request)).ended;
}

import assert from "node:assert/strict";
import { appendFile, chmod, mkdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { openHistory, type History } from "../../../src/cli/repl/editor/history-file.ts";
import { systemClock } from "../../../src/core/clock.ts";
import { temporaryFolder } from "../../support/temporary.ts";

interface Opened {
  readonly history: History;
  readonly problems: string[];
}

async function open(file: string): Promise<Opened> {
  const problems: string[] = [];
  const history = await openHistory({
    file,
    clock: systemClock,
    mask: (text) => text.replaceAll(/sk-\w+/g, "***"),
    onProblem: (sentence) => problems.push(sentence),
  });
  return { history, problems };
}

async function fileIn(t: TestContext): Promise<string> {
  return join(await temporaryFolder(t), "state", "history.jsonl");
}

test("what was typed is there again at the next start, each once, newest last [L2]", async (t) => {
  const file = await fileIn(t);
  const { history, problems } = await open(file);
  for (const entry of ["one", "two\nlines", "two\nlines", "three", "one", "  "]) history.add(entry);
  assert.deepEqual(history.entries(), ["two\nlines", "three", "one"]);
  await history.close();
  assert.deepEqual((await open(file)).history.entries(), ["two\nlines", "three", "one"]);
  assert.deepEqual(problems, []);
});

test("only the person can read it, and secrets are not in it [G9]", async (t) => {
  const file = await fileIn(t);
  await mkdir(join(file, ".."));
  await writeFile(file, "");
  await chmod(file, 0o644);
  const { history } = await open(file);
  history.add("use sk-12345678 please");
  await history.close();
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  assert.equal(await readFile(file, "utf8"), '"use *** please"\n');
  assert.deepEqual(history.entries(), ["use *** please"]);
});

test("programs that write at the same time lose nothing", async (t) => {
  const file = await fileIn(t);
  const opened = await Promise.all(Array.from({ length: 4 }, () => open(file)));
  for (let at = 0; at < 50; at += 1) for (const [who, { history }] of opened.entries()) history.add(`${who}-${at}`);
  await Promise.all(opened.map(({ history }) => history.close()));
  assert.equal((await open(file)).history.entries().length, 200);
});

test("the last 1,000 are kept, also over a file that has grown too large", async (t) => {
  const file = await fileIn(t);
  await mkdir(join(file, ".."));
  const lines = Array.from({ length: 3000 }, (_, at) => JSON.stringify(`entry ${at} ${"x".repeat(200)}`));
  await writeFile(file, `${lines.join("\n")}\n`);
  const opened = await Promise.all([open(file), open(file), open(file)]);
  for (const { history } of opened) {
    assert.equal(history.entries().length, 1000);
    assert.match(history.entries().at(-1)!, /^entry 2999 /);
  }
  opened[0].history.add("newest");
  await opened[0].history.close();
  const again = (await open(file)).history.entries();
  assert.equal(again.length, 1000);
  assert.equal(again.at(-1), "newest");
  assert.match(again[0]!, /^entry 2001 /);
  assert.ok((await stat(file)).size < 1000);
});

test("damaged lines are left out, and what follows a line that was cut off is not lost", async (t) => {
  const file = await fileIn(t);
  await mkdir(join(file, ".."));
  await writeFile(file, '"good"\n{"not":"text"}\n\u0000\u0000\n"cut of');
  const { history } = await open(file);
  history.add("after");
  await history.close();
  await appendFile(file, "\n");
  assert.deepEqual((await open(file)).history.entries(), ["good", "after"]);
});

test("a file that can't be used is told once, and the history goes on in memory", async (t) => {
  const folder = await temporaryFolder(t);
  await writeFile(join(folder, "elsewhere"), "");
  await symlink(join(folder, "elsewhere"), join(folder, "link"));
  const { history, problems } = await open(join(folder, "link"));
  history.add("one");
  history.add("two");
  await history.close();
  assert.deepEqual(history.entries(), ["one", "two"]);
  assert.equal(problems.length, 1);
  assert.match(problems[0]!, /The history in .*link can't be used/);
  assert.equal(await readFile(join(folder, "elsewhere"), "utf8"), "");
});

test("a text too long to be worth it is not remembered", async (t) => {
  const { history } = await open(await fileIn(t));
  history.add("x".repeat(100_000));
  assert.deepEqual(history.entries(), []);
});

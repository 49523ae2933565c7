import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { cp, mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { follow, openMachine } from "../cli/run-deckhand.ts";
import { until } from "../support/runtime.ts";
import { temporaryFolder } from "../support/temporary.ts";

const root = join(import.meta.dirname, "..", "..");

/** Preloaded: the process says that it is Node 20, those that it starts do not. */
async function writePretence(t: TestContext): Promise<string> {
  const file = join(await temporaryFolder(t), "node-20.cjs");
  await writeFile(
    file,
    'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.1.0" } });\n',
  );
  return file;
}

test("in a clone, an older Node starts the command on the project's own, with its arguments, exit code and signals", async (t) => {
  const machine = await openMachine(t);
  const program = ["--require", await writePretence(t), join(root, "bin", "deckhand.js")];
  const start = (...args: string[]) => machine.start(args, { program });
  const version = await start("--version").ended;
  assert.deepEqual([version.code, version.stdout, version.stderr], [0, "0.1.0\n", ""]);
  assert.equal((await start("tool", "raed", "{}", "--quiet").ended).code, 2);
  const serving = start("serve", "--port", "0", "--json");
  await until("it is ready", () => serving.stdout().includes("\n"));
  serving.child.kill("SIGTERM");
  assert.equal((await serving.ended).code, 143);
});

test("outside a clone an older Node is refused in one sentence, and in one that was not set up it says how", async (t) => {
  const pretence = await writePretence(t);
  const folder = await temporaryFolder(t);
  await cp(join(root, "bin"), join(folder, "bin"), { recursive: true });
  const run = async () =>
    follow(spawn(process.execPath, ["--require", pretence, join(folder, "bin", "deckhand.js"), "tools"]), "").ended;
  const installed = await run();
  assert.deepEqual(
    [installed.code, installed.stderr],
    [
      1,
      "deckhand needs Node 24 or newer, but this is Node 20.1.0: install a newer one from https://nodejs.org and try again.\n",
    ],
  );
  await mkdir(join(folder, "scripts", "node"), { recursive: true });
  await writeFile(join(folder, "scripts", "node", "package.json"), "{}");
  const cloned = await run();
  assert.deepEqual(
    [cloned.code, cloned.stderr],
    [
      1,
      `deckhand needs Node 24 or newer, but this is Node 20.1.0: run \`npm run setup\` in ${folder}, which brings it, and try again.\n`,
    ],
  );
});

test("a bench filter that matches nothing, and a part that there is not, are failures with a sentence", () => {
  const run = (...args: string[]) => {
    const { status, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: "utf8" });
    return [status, stderr];
  };
  assert.deepEqual(run("bench/run.ts", "no such bench"), [1, 'No bench has "no such bench" in its name.\n']);
  const [status, stderr] = run("scripts/prove.ts", "no-such-part");
  assert.equal(status, 2);
  assert.match(String(stderr), /^Unknown part: no-such-part\. There are: strengths, agent, .*, bench\.\n$/);
});

test("test files that share a process are reported each by itself, also when one of them ends it", async (t) => {
  const folder = await temporaryFolder(t);
  await mkdir(join(folder, "test", "core"), { recursive: true });
  await symlink(join(root, "scripts"), join(folder, "scripts"));
  const files = {
    "fails.test.ts":
      'import { test } from "node:test";\ntest("a", () => {});\ntest("b", () => { throw new Error("no b"); });\n',
    "fine.test.ts": 'import { test } from "node:test";\ntest("c", () => {});\n',
    "pid.test.ts":
      'import { test } from "node:test";\ntest(`pid ${process.pid}`, { skip: `pid ${process.pid}` }, () => {});\n',
    "same.test.ts":
      'import { test } from "node:test";\ntest(`pid ${process.pid}`, { skip: `pid ${process.pid}` }, () => {});\n',
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, "test", "core", name), text);
  const run = async (): Promise<{ code: number | null; stdout: string }> => {
    const { NODE_TEST_CONTEXT: _, DECKHAND_FULL: __, DECKHAND_REPEAT: ___, ...env } = process.env;
    return follow(spawn(process.execPath, ["scripts/test.ts"], { cwd: folder, env }), "").ended;
  };
  const whole = await run();
  assert.equal(whole.code, 1);
  assert.match(
    whole.stdout,
    /^✖ test\/core\/fails\.test\.ts: b$[^]*^✖ test\/core\/fails\.test\.ts \(1 passed, 1 failed, /m,
  );
  assert.match(whole.stdout, /^✔ test\/core\/fine\.test\.ts \(1 passed, /m);
  assert.match(whole.stdout, /^Skipped: 2 tests\n +2 {4}pid \d+$/m);

  const leaves = 'import { test } from "node:test";\ntest("leaves", () => process.exit(3));\n';
  await writeFile(join(folder, "test", "core", "leaves.test.ts"), leaves);
  const cut = await run();
  assert.equal(cut.code, 1);
  const [, again = ""] = cut.stdout.split("Each of them in one of its own:\n");
  assert.match(again, /^✖ test\/core\/leaves\.test\.ts: test\/core\/leaves\.test\.ts$/m);
  assert.match(again, /^✖ test\/core\/fails\.test\.ts \(1 passed, 1 failed, /m);
  assert.match(again, /^✔ test\/core\/fine\.test\.ts \(1 passed, /m);
});

test("no file that is loaded at the start holds a character that doubles its memory, or zod's other languages", () => {
  const folder = join(root, "dist");
  const files = readdirSync(folder).filter((name) => name.endsWith(".js"));
  const texts = files.map((name) => [name, readFileSync(join(folder, name), "utf8")] as const);
  const wide = texts.filter(([, text]) => /[\u0100-\uffff]/.test(text)).map(([name]) => name);
  assert.deepEqual(wide, []);
  assert.deepEqual(
    texts.filter(([, text]) => text.includes("zod/v4/locales/de.js")).map(([name]) => name),
    [],
  );
});

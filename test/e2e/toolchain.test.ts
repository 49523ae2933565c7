import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { cp, mkdir, writeFile } from "node:fs/promises";
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

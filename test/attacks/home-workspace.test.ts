import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { describe, test, type TestContext } from "node:test";
import { findLeftoverFolders, removeLeftoverFolders } from "../../src/doctor/leftover-folders.ts";
import { diagnose } from "../../src/doctor/diagnose.ts";
import { inMode } from "../process/support.ts";
import { createRuntime, type Runtime } from "../../src/runtime/create-runtime.ts";
import { afterTest } from "../support/after-test.ts";
import { openMachine, put, runScript } from "./support.ts";

describe("a workspace that is the home folder, or holds it", inMode("require"), () => {
  for (const [what, at, inside] of [
    ["is", ".", "."],
    ["holds", "..", "home"],
  ] as const) {
    test(`commands at the same time all run, and leave nothing in a home that ${what} the workspace (F2) [G1]`, async (t) => {
      const { home: top, env } = await openMachine(t);
      const home = join(top, "home");
      mkdirSync(home);
      put(home, ".ssh/id_ed25519", "planted\n");
      mkdirSync(join(home, ".git"));
      const workdir = join(home, at);
      const machine = await openThree(t, { workdir, env: { ...env, HOME: home } });
      const before = readdirSync(home);
      const command = `echo ok; ls -A ${inside}`;
      const calls = [...machine, ...machine, ...machine, ...machine].map((runtime) =>
        runtime.call("bash", { command }, { door: "agent" }),
      );
      const ends = await Promise.all(calls);
      assert.deepEqual(
        ends.filter(({ state }) => state !== "completed").map(({ error }) => error),
        [],
      );
      const seen = new Set(ends.flatMap(({ result }) => (result?.output ?? "").trim().split("\n").slice(1)));
      const known = new Set([...before, ".deckhand", ".local", "m.sh"]);
      assert.deepEqual(
        [...seen].filter((name) => !known.has(name)),
        [],
      );
      assert.deepEqual(
        readdirSync(home).filter((name) => !known.has(name)),
        [],
      );
      assert.deepEqual(readdirSync(join(home, ".git")), []);
      const { result } = await runScript(machine[0]!, `cat ${inside}/.ssh/id_ed25519 2>&1; true`);
      assert.equal(result?.output?.includes("planted"), false);
    });
  }
});

/** Three runtimes of one workspace, as three programs at the same time. */
async function openThree(
  t: TestContext,
  place: { readonly workdir: string; readonly env: Record<string, string> },
): Promise<Runtime[]> {
  const settings = { permissions: { mode: "auto" as const } };
  const runtimes = await Promise.all([1, 2, 3].map(() => createRuntime({ ...place, settings })));
  for (const runtime of runtimes) afterTest(t, () => runtime.close());
  return runtimes;
}

test("empty folders that an earlier version left in the home folder are reported and removed, and no others (F2) [G1]", async (t) => {
  const { home, workdir, env } = await openMachine(t);
  const left = [".git-credentials", ".netrc", ".aws", ".docker"];
  for (const name of left) mkdirSync(join(home, name), { mode: 0o755 });
  mkdirSync(join(home, ".ssh"), { mode: 0o700 });
  put(home, ".kube/config");
  put(home, ".pgpass");
  const paths = left.map((name) => join(home, name));
  assert.deepEqual(findLeftoverFolders(env), [paths[1], paths[0], paths[2], paths[3]]);
  const row = (await diagnose({ workdir, env })).find(({ name }) => name === "home folder");
  assert.match(row?.what ?? "", /An earlier version left 4 empty folders in your home folder: /);
  assert.equal(removeLeftoverFolders(env).length, 4);
  assert.deepEqual(findLeftoverFolders(env), []);
  assert.deepEqual(readdirSync(home).sort(), [".kube", ".pgpass", ".ssh", "work"]);
  // Alone it may be the person's own.
  mkdirSync(join(home, ".aws"), { mode: 0o755 });
  utimesSync(join(home, ".aws"), 0, 0);
  assert.deepEqual([findLeftoverFolders(env), existsSync(join(home, ".aws"))], [[], true]);
});

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { temporaryFolder } from "../support/temporary.ts";
import { inMode, openBench, textOf, viewOf } from "./support.ts";

test(
  "a hidden folder in the workdir stays hidden with the run folder inside it [G1 G4]",
  inMode("require"),
  async (t) => {
    const workdir = await temporaryFolder(t);
    const hidden = join(workdir, ".state", "app");
    const state = join(hidden, "1234");
    mkdirSync(state, { recursive: true });
    writeFileSync(join(state, "token"), "secret\n");
    const view = viewOf(workdir, { hidden: [hidden] });
    const { run } = await openBench(t, { sandbox: "require", view: () => view, runFolder: join(state, "run") });
    const script = `cat .state/app/1234/token; echo mine > .state/app/1234/grants; mv .state/app elsewhere; mv .state else; true`;
    const end = await run(["sh", "-c", script], { cwd: workdir });
    assert.deepEqual([end.startError, end.exitCode, textOf(end.stdout)], [null, 0, ""]);
    await end.discard();
    assert.equal(existsSync(join(state, "grants")), false);
    assert.equal(readFileSync(join(state, "token"), "utf8"), "secret\n");
  },
);

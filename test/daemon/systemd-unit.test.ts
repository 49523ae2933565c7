import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { openMachine, type Machine } from "../cli/run-deckhand.ts";
import { lane } from "../support/require.ts";

const program = "systemd-analyze";
const isThere = spawnSync(program, ["--version"]).status === 0 || `there is no ${program}, which comes with systemd`;

/** What systemd has to say of this unit, and not of others that the machine has. */
function verify({ env }: Machine, unit: string): string[] {
  const runtime = join(env["XDG_STATE_HOME"]!, "..", "run");
  mkdirSync(runtime, { recursive: true, mode: 0o700 });
  const { status, stdout, stderr } = spawnSync(program, ["verify", "--user", "--man=no", unit], {
    env: { ...env, XDG_RUNTIME_DIR: runtime },
    encoding: "utf8",
  });
  assert.notEqual(status, null, stderr);
  assert.doesNotMatch(stderr, /Failed to initialize manager/);
  return `${stdout}${stderr}`.split("\n").filter((line) => line.includes("deckhand-"));
}

test(
  "systemd takes every line of the units, also for a path with spaces, quotes, % and $ [D2, D3]",
  lane("systemd", isThere),
  async (t) => {
    const machine = await openMachine(t);
    const workdir = join(machine.workdir, 'a "b" it\'s 100% $HOME %h \\x41 ;c');
    mkdirSync(workdir);
    const options = [[], ["--watchdog", "--port", "0", "--expose"], ["--socket", join(workdir, "s.sock")]];
    for (const [index, each] of options.entries()) {
      const place = ["--workdir", workdir, "--name", `unit${index}`, "--json"];
      const { code, stdout, stderr } = await machine.run(["serve", "install", ...place, ...each]);
      assert.equal(code, 0, stderr);
      const { path } = JSON.parse(stdout) as { readonly path: string };
      assert.deepEqual(verify(machine, path), []);
      // It does look.
      writeFileSync(path, readFileSync(path, "utf8").replace(/^Restart=/m, "Restart=x"));
      assert.match(verify(machine, path).join("\n"), /Failed to parse service restart specifier/);
    }
  },
);

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../support/temporary.ts";
import { fixture, inMode, modes } from "./support.ts";

for (const mode of modes) {
  for (const limit of ["", "ulimit -n 100;"]) {
    const name = `sandbox ${mode}: what whoever started us has open does not reach a command ${limit}`;
    test(`${name.trim()} [G7 G4]`, { skip: process.platform !== "linux", ...inMode(mode) }, async (t) => {
      const place = await temporaryFolder(t);
      const workdir = join(place, "work dir");
      mkdirSync(workdir);
      writeFileSync(join(place, "secret"), "planted");
      writeFileSync(join(place, "outside"), "");
      // With gaps between them: Node itself closes those before the first.
      const script = `exec 4>>"$1/outside" 40>>"$1/outside" 250>>"$1/outside" 251<"$1"; ${limit} exec "$2" "$3" "$4" "$5"`;
      const words = [place, process.execPath, fixture("process/leaky.ts"), workdir, mode];
      const done = spawnSync("bash", ["-c", script, "bash", ...words], { encoding: "utf8" });
      assert.equal(done.stderr, "");
      const [startError, lines] = JSON.parse(done.stdout) as [unknown, string[]];
      assert.equal(startError, null);
      assert.deepEqual(
        lines.filter((line) => line !== "" && line !== "/dev/null"),
        [],
      );
      assert.equal(readFileSync(join(place, "outside"), "utf8"), "");
    });
  }
}

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { count } from "../../support/counts.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { setUpSessions } from "./support.ts";

test("kill -9 loses no entry that was written, and the next process takes the session over [L11]", async (t) => {
  const base = await temporaryFolder(t);
  const folder = join(base, "sessions");
  const { sessions } = await setUpSessions(t, { folder });
  const program = fileURLToPath(new URL("../../fixtures/agent/append-entries.ts", import.meta.url));
  const written: string[] = [];
  for (let round = 0; round < count({ quick: 3, full: 30 }); round++) {
    const args = [program, folder, join(base, "leases.db"), ...(round === 0 ? [] : ["latest"])];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    t.after(() => void child.kill("SIGKILL"));
    const wanted = written.length + 20 + round * 7;
    const reader = createInterface(child.stdout).on("line", (line) => {
      written.push(line);
      if (written.length === wanted) child.kill("SIGKILL");
    });
    await Promise.all([
      once(child, "exit", { signal: AbortSignal.timeout(60_000) }),
      once(reader, "close", { signal: AbortSignal.timeout(60_000) }),
    ]);
    assert.ok(written.length >= wanted);
    const { branch } = await sessions.read("latest");
    const ids = new Set(branch.map(({ id }) => id));
    assert.deepEqual(
      written.filter((id) => id.length === 8 && !ids.has(id)),
      [],
    );
  }
  assert.equal((await sessions.list(9)).length, 1);
});

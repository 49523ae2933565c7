import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openMachine } from "../cli/run-deckhand.ts";
import { serve, stateFolderOf } from "./support/serve.ts";

test("a token file that is not the daemon's any more makes no link that leads nowhere, and is what status says [G6]", async (t) => {
  const machine = await openMachine(t);
  const { url } = await serve(t, machine);
  writeFileSync(join(stateFolderOf(machine), "daemon-token"), `${"x".repeat(64)}\n`, { mode: 0o600 });
  const { code, stdout, stderr } = await machine.run(["serve", "open", "--print"]);
  assert.deepEqual([code, stdout], [1, ""]);
  assert.match(stderr, new RegExp(`^deckhand: The daemon at ${url} refused: .+\n$`));
  // It is ready, so that is not what is said of it.
  const status = await machine.run(["serve", "status"]);
  assert.deepEqual([status.code, status.stdout, status.stderr], [1, "", stderr]);
});

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { count } from "../support/counts.ts";

test("memory stays flat over many calls of every kind [E2 E5]", async () => {
  const calls = count({ quick: 20_000, full: 1_000_000 });
  const program = join(import.meta.dirname, "../fixtures/engine/many-calls.ts");
  const { stdout } = await promisify(execFile)(process.execPath, ["--expose-gc", program, String(calls)]);
  const { before, after, underWay } = JSON.parse(stdout) as Record<"before" | "after" | "underWay", number>;
  // One record that is kept by mistake for each call would be 20 MB or more.
  assert.ok(after - before < 8, `${before.toFixed(1)} MB before, ${after.toFixed(1)} MB after ${calls} more calls`);
  assert.equal(underWay, 0);
});

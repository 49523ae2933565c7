import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { openMachine } from "./run-deckhand.ts";

test("a workdir that does not exist or is a file is wrong use, in one sentence", async (t) => {
  const machine = await openMachine(t);
  await writeFile(join(machine.workdir, "file"), "");
  for (const [workdir, why] of [
    ["none", "does not exist"],
    ["file", "is not a folder"],
  ]) {
    const { code, stdout, stderr } = await machine.run(["tools", "--workdir", workdir!]);
    assert.deepEqual({ code, stdout }, { code: 2, stdout: "" });
    assert.match(stderr, new RegExp(`^deckhand: The workdir ${workdir} ${why}; name .+\\.\n$`));
  }
});

test("a configuration that is wrong is one sentence that names the file and the key", async (t) => {
  const machine = await openMachine(t);
  await writeFile(join(machine.workdir, "deckhand.json"), '{ "limits": { "max_paralel": 3 } }');
  const wrong = await machine.run(["tool", "list_files"]);
  assert.equal(wrong.code, 2);
  assert.match(wrong.stderr, /^deckhand: .*deckhand\.json: "limits\.max_paralel" .*"max_parallel".*\n$/);

  await writeFile(join(machine.workdir, "deckhand.json"), "{ limits");
  const unreadable = await machine.run(["calls"]);
  assert.equal(unreadable.code, 2);
  assert.match(unreadable.stderr, /^deckhand: .*deckhand\.json is not JSON .*\n$/);
});

test("a stack trace is shown only when it is asked for", async (t) => {
  const machine = await openMachine(t);
  const args = ["tools", "--workdir", "none"];
  assert.doesNotMatch((await machine.run(args)).stderr, /\n\s+at /);
  assert.match((await machine.run(args, { env: { DECKHAND_DEBUG: "1" } })).stderr, /\n\s+at /);
});

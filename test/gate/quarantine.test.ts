import assert from "node:assert/strict";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { openQuarantineFile } from "../../src/gate/quarantine-file.ts";
import { createQuarantine } from "../../src/gate/quarantine.ts";
import { temporaryFolder } from "../support/temporary.ts";

async function setUp(t: TestContext) {
  const root = await temporaryFolder(t);
  const folder = join(root, "tools");
  await mkdir(folder);
  await writeFile(join(folder, "own.ts"), "// mine");
  const open = () =>
    createQuarantine({ folder, store: openQuarantineFile(join(root, "state", "quarantine.json")), now: () => 7 });
  return { folder, open };
}

test("a tool file that appears while an agent's call runs waits for a person [C11]", async (t) => {
  const { folder, open } = await setUp(t);
  const quarantine = open();
  quarantine.began();
  await writeFile(join(folder, "new.ts"), "// theirs");
  const [entry] = quarantine.ended({ id: "call_1" });
  assert.deepEqual(entry, {
    file: "new.ts",
    hash: entry!.hash,
    executionId: "call_1",
    at: 7,
    before: null,
    after: "// theirs",
  });
  // Another runtime sees it as well, and only this content of the file is meant.
  assert.deepEqual(open().find("new.ts", "// theirs"), entry);
  assert.equal(open().find("new.ts", "// a person's own"), undefined);
  assert.equal(open().find("own.ts", "// mine"), undefined);
});

test("the approved content, and no other, becomes a tool [C11]", async (t) => {
  const { folder, open } = await setUp(t);
  const quarantine = open();
  quarantine.began();
  await writeFile(join(folder, "own.ts"), "// first");
  const [first] = quarantine.ended({ id: "call_1" });
  quarantine.began();
  await writeFile(join(folder, "own.ts"), "// second");
  const [second] = quarantine.ended({ id: "call_2" });
  // What a person approves is the whole way from their own content.
  assert.equal(second!.before, "// mine");
  assert.equal(quarantine.approve("own.ts", first!.hash), false);
  assert.equal(quarantine.list().length, 1);
  assert.equal(quarantine.approve("own.ts", second!.hash), true);
  assert.equal(quarantine.find("own.ts", "// second"), undefined);
});

test("what a person approved waits no longer, and is still known as an agent's [C11 V1]", async (t) => {
  const { folder, open } = await setUp(t);
  const quarantine = open();
  quarantine.began();
  await writeFile(join(folder, "own.ts"), "// theirs");
  const [entry] = quarantine.ended({ id: "call_1" });
  assert.deepEqual(quarantine.approved(), new Set());
  assert.equal(quarantine.approve("own.ts", entry!.hash), true);
  for (const each of [quarantine, open()]) {
    assert.deepEqual([each.list(), each.approved()], [[], new Set([entry!.hash])]);
    assert.equal(each.find("own.ts", "// theirs"), undefined);
    assert.equal(each.approve("own.ts", entry!.hash), false);
  }
  // The next one waits again, and is compared with what was approved.
  quarantine.began();
  await writeFile(join(folder, "own.ts"), "// theirs again");
  const [next] = quarantine.ended({ id: "call_2" });
  assert.deepEqual([next?.before, quarantine.list().length, quarantine.approved()], ["// theirs", 1, new Set()]);
});

test("files that a person edits between calls are live at once [C11]", async (t) => {
  const { folder, open } = await setUp(t);
  const quarantine = open();
  quarantine.began();
  assert.deepEqual(quarantine.ended({ id: "call_1" }), []);
  await writeFile(join(folder, "own.ts"), "// edited by hand");
  quarantine.began();
  assert.deepEqual(quarantine.ended({ id: "call_2" }), []);
});

test("with calls that overlap, a change counts from the first begin to the last end [C11]", async (t) => {
  const { folder, open } = await setUp(t);
  const quarantine = open();
  quarantine.began();
  await writeFile(join(folder, "a.py"), "a");
  quarantine.began();
  assert.deepEqual(
    quarantine.ended({ id: "call_2" }).map(({ file }) => file),
    ["a.py"],
  );
  await writeFile(join(folder, "b.mjs"), "b");
  assert.deepEqual(
    quarantine.ended({ id: "call_1" }).map(({ file }) => file),
    ["b.mjs"],
  );
});

test("a folder without tools, and one that vanishes, is fine [C11]", async (t) => {
  const { folder, open } = await setUp(t);
  const quarantine = open();
  quarantine.began();
  await rm(folder, { recursive: true });
  assert.deepEqual(quarantine.ended({ id: "call_1" }), []);
});

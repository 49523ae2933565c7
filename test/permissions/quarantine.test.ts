import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { openQuarantineFile } from "../../src/permissions/trust/quarantine-file.ts";
import {
  createQuarantine,
  describeCause,
  type QuarantinedFile,
  type WritingCall,
  type WritingProcess,
} from "../../src/permissions/trust/quarantine.ts";
import { temporaryFolder } from "../support/temporary.ts";

async function setUp(t: TestContext) {
  const root = await temporaryFolder(t);
  const folder = join(root, "tools");
  const path = join(root, "state", "quarantine.json");
  await mkdir(folder);
  await writeFile(join(folder, "own.ts"), "// mine");
  const accepted: string[] = [];
  const processes: WritingProcess[] = [];
  const open = () =>
    createQuarantine({
      folder,
      store: openQuarantineFile(path),
      now: () => 7,
      processes: () => processes,
      onAccepted: ({ file }, isNew) => void accepted.push(`${file} ${isNew ? "new" : "changed"}`),
    });
  /** As a runtime asks when it is about to load the file. */
  const judge = (quarantine: ReturnType<typeof open>, file: string): QuarantinedFile | undefined => {
    const bytes = readFileSync(join(folder, file));
    const hash = sha256(bytes);
    return quarantine.judge({ file, hash, textHash: hash, changedAt: statSync(join(folder, file)).ctimeMs });
  };
  return { folder, path, open, judge, accepted, processes };
}

function sha256(content: string | Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}

function call(id: string, more: Partial<WritingCall> = {}): WritingCall {
  return { id, tool: "bash", files: null, isApproved: false, ...more };
}

test("a tool file that appears while a call runs that could write it waits for a person [C11]", async (t) => {
  const { folder, open, judge } = await setUp(t);
  const quarantine = open();
  quarantine.began(call("call_1"));
  await writeFile(join(folder, "new.ts"), "// theirs");
  const [entry] = quarantine.ended("call_1");
  assert.deepEqual(entry, {
    file: "new.ts",
    hash: sha256("// theirs"),
    cause: { kind: "writer", id: "call_1", tool: "bash" },
    at: 7,
    before: null,
    after: "// theirs",
  });
  assert.equal(describeCause(entry.cause), "It changed while call call_1 (bash) was running without a sandbox");
  // Another runtime sees it as well, and only this content of the file is meant.
  assert.deepEqual(judge(open(), "new.ts"), entry);
  assert.equal(judge(open(), "own.ts"), undefined);
  await writeFile(join(folder, "new.ts"), "// a person's own");
  assert.equal(judge(open(), "new.ts"), undefined);
});

test("the approved content, and no other, becomes a tool [C11]", async (t) => {
  const { folder, open, judge } = await setUp(t);
  const quarantine = open();
  quarantine.began(call("call_1"));
  await writeFile(join(folder, "own.ts"), "// first");
  const [first] = quarantine.ended("call_1");
  quarantine.began(call("call_2"));
  await writeFile(join(folder, "own.ts"), "// second");
  const [second] = quarantine.ended("call_2");
  // What a person approves is the whole way from their own content.
  assert.equal(second!.before, "// mine");
  assert.equal(quarantine.approve("own.ts", first!.hash), false);
  assert.equal(quarantine.list().length, 1);
  assert.equal(quarantine.approve("own.ts", second!.hash), true);
  assert.equal(judge(quarantine, "own.ts"), undefined);
});

test("what a person approved waits no longer, and is still known as an agent's [C11 V1]", async (t) => {
  const { folder, open, judge } = await setUp(t);
  const quarantine = open();
  quarantine.began(call("call_1"));
  await writeFile(join(folder, "own.ts"), "// theirs");
  const [entry] = quarantine.ended("call_1");
  assert.deepEqual(quarantine.approved(), []);
  assert.equal(quarantine.approve("own.ts", entry!.hash), true);
  for (const each of [quarantine, open()]) {
    const content = { file: "own.ts", hash: entry!.hash, author: "agent", promises: null };
    assert.deepEqual([each.list(), each.approved()], [[], [content]]);
    assert.equal(judge(each, "own.ts"), undefined);
    assert.equal(each.approve("own.ts", entry!.hash), false);
  }
  // The next change waits again, and is compared with the approved content.
  quarantine.began(call("call_2"));
  await writeFile(join(folder, "own.ts"), "// theirs again");
  const [next] = quarantine.ended("call_2");
  assert.deepEqual([next?.before, quarantine.list().length, quarantine.approved()], ["// theirs", 1, []]);
});

test("a change before a call began, or after it ended, is never put down to that call [C11]", async (t) => {
  const { folder, open, judge } = await setUp(t);
  const quarantine = open();
  quarantine.began(call("call_1"));
  assert.deepEqual(quarantine.ended("call_1"), []);
  await writeFile(join(folder, "own.ts"), "// edited by hand");
  assert.equal(judge(quarantine, "own.ts"), undefined);
  quarantine.began(call("call_2"));
  assert.equal(judge(quarantine, "own.ts"), undefined);
  assert.deepEqual(quarantine.ended("call_2"), []);
});

test("with calls that overlap, a change is put down to one that was running [C11]", async (t) => {
  const { folder, open } = await setUp(t);
  const quarantine = open();
  quarantine.began(call("call_1"));
  await writeFile(join(folder, "a.py"), "a");
  quarantine.began(call("call_2"));
  // It began after the change.
  assert.deepEqual(quarantine.ended("call_2"), []);
  await writeFile(join(folder, "b.mjs"), "b");
  const held = quarantine.ended("call_1").map(({ file, cause }) => [file, cause.kind === "writer" && cause.id]);
  assert.deepEqual(held, [
    ["a.py", "call_1"],
    ["b.mjs", "call_1"],
  ]);
});

test("a call that names its file is answerable for that file alone; an approved change of it is accepted [C11]", async (t) => {
  const { folder, open, judge, accepted } = await setUp(t);
  const quarantine = open();
  quarantine.began(call("call_1", { tool: "write", files: ["made.ts"], isApproved: true }));
  await writeFile(join(folder, "made.ts"), "// shown and approved");
  await writeFile(join(folder, "own.ts"), "// edited by hand meanwhile");
  assert.deepEqual(quarantine.ended("call_1"), []);
  assert.deepEqual(accepted, ["made.ts new"]);
  assert.deepEqual([judge(open(), "made.ts"), judge(open(), "own.ts")], [undefined, undefined]);
  quarantine.began(call("call_2", { tool: "write", files: ["own.ts"] }));
  await writeFile(join(folder, "own.ts"), "// allowed by a rule, shown to no one");
  assert.deepEqual(
    quarantine.ended("call_2").map(({ file }) => file),
    ["own.ts"],
  );
});

test("an approved change is held all the same while another call could have written the file [C11]", async (t) => {
  const { folder, open } = await setUp(t);
  const quarantine = open();
  quarantine.began(call("call_1"));
  quarantine.began(call("call_2", { tool: "write", files: ["made.ts"], isApproved: true }));
  await writeFile(join(folder, "made.ts"), "// by whom?");
  const [held] = quarantine.ended("call_2");
  assert.deepEqual(held?.cause, { kind: "writer", id: "call_1", tool: "bash" });
});

test("what changed while a background process or an agent's task lived is held, before and after that it is not [C11]", async (t) => {
  const { folder, open, judge, processes } = await setUp(t);
  await writeFile(join(folder, "own.ts"), "// changed");
  const { ctimeMs } = statSync(join(folder, "own.ts"));
  const process = { id: "task_1", tool: null };
  processes.push({ ...process, startedAt: ctimeMs + 1, endedAt: null });
  assert.equal(judge(open(), "own.ts"), undefined);
  processes[0] = { ...process, startedAt: ctimeMs - 2, endedAt: ctimeMs - 1 };
  assert.equal(judge(open(), "own.ts"), undefined);
  processes[0] = { ...process, startedAt: ctimeMs - 1, endedAt: null };
  const held = judge(open(), "own.ts");
  assert.equal(describeCause(held!.cause), "It changed while task task_1 was running without a sandbox");
});

test("a list that an earlier version wrote is understood [C11]", async (t) => {
  const { path, open, judge, folder } = await setUp(t);
  await mkdir(join(path, ".."));
  const entry = { hash: sha256("// mine"), execution_id: "call_9", at: 3, before: null, after: "// mine" };
  await writeFile(
    path,
    JSON.stringify([
      { file: "own.ts", ...entry },
      { file: "b.ts", ...entry, is_approved: true },
    ]),
  );
  assert.deepEqual(judge(open(), "own.ts")?.cause, { kind: "writer", id: "call_9", tool: null });
  await writeFile(join(folder, "b.ts"), "// mine");
  assert.equal(judge(open(), "b.ts"), undefined);
  assert.equal(open().approved()[0]?.author, "agent");
});

test("a folder without tools, and one that vanishes, is fine [C11]", async (t) => {
  const { folder, open } = await setUp(t);
  const quarantine = open();
  quarantine.began(call("call_1"));
  await rm(folder, { recursive: true });
  assert.deepEqual(quarantine.ended("call_1"), []);
});

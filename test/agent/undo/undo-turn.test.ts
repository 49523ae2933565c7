import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, symlinkSync } from "node:fs";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { assembleConversation } from "../../../src/agent/session/assemble-conversation.ts";
import { openPreImages, type PreImages } from "../../../src/agent/undo/pre-images.ts";
import { undoTurn, type UndoReport } from "../../../src/agent/undo/undo-turn.ts";
import type { Session } from "../../../src/core/session.ts";
import { createPutFileBack } from "../../../src/agent/undo/undo-files.ts";
import { editTool } from "../../../src/tools/files/edit.ts";
import { writeTool } from "../../../src/tools/files/write.ts";
import { setUpEngine } from "../../support/engine.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { about, reply, results, setUpSessions, user } from "../session/support.ts";

type Call = [tool: string, input: object];

interface World {
  readonly workdir: string;
  readonly session: Session;
  readonly preImages: PreImages;
  /** Begins a turn and makes these calls in it, as the loop does. */
  readonly turn: (...calls: Call[]) => Promise<string>;
  /** A further reply of the model in the same turn, its calls and their results; gives the ids of the calls. */
  readonly round: (...calls: Call[]) => Promise<string[]>;
  readonly undo: (force?: boolean) => Promise<UndoReport | undefined>;
  readonly read: (name: string) => string | undefined;
}

async function setUp(t: TestContext): Promise<World> {
  const workdir = await temporaryFolder(t);
  const { sessions } = await setUpSessions(t);
  const session = await sessions.create(about);
  const preImages = openPreImages({ folder: join(workdir, ".deckhand"), workdir });
  const { engine } = setUpEngine({
    tools: [writeTool, editTool],
    workdir,
    keepBefore: preImages.keep,
  });
  const putBack = createPutFileBack({ workdir });
  let number = 0;
  const round: World["round"] = async (...calls) => {
    const names = calls.map(([tool]) => `${tool}:${++number}`);
    const ids: string[] = [];
    session.append(reply("", ...names));
    for (const [index, [tool, input]] of calls.entries()) {
      const callId = names[index]!.split(":")[1]!;
      const call = engine.call({ tool, input, conversationId: session.id });
      session.append({ type: "call", callId, executionId: call.id, tool });
      ids.push(call.id);
      const { state, error } = await call;
      if (tool !== "bash") assert.equal(state, "completed", String(error));
    }
    session.append(results(...names));
    return ids;
  };
  return {
    workdir,
    session,
    preImages,
    round,
    async turn(...calls) {
      const { id: turnId } = session.append(user("go on"));
      preImages.begin(session.id, turnId);
      await round(...calls);
      return turnId;
    },
    undo: (force = false) =>
      undoTurn({
        session,
        preImages,
        putBack,
        force,
        effectOf: ({ tool, callId }) => (tool === "bash" ? `bash ${callId}` : undefined),
      }),
    read(name) {
      return existsSync(join(workdir, name)) ? readFileSync(join(workdir, name), "utf8") : undefined;
    },
  };
}

const write = (file_path: string, content: string): [string, object] => ["write", { file_path, content }];
const edit = (file_path: string, old_string: string, new_string: string): [string, object] => [
  "edit",
  { file_path, old_string, new_string },
];

test("undo gives the files of the last turn their bytes and modes back and removes those that were new", async (t) => {
  const world = await setUp(t);
  const { workdir, session, undo, read } = world;
  const bytes = Buffer.from([0xef, 0xbb, 0xbf, 0x61, 13, 10, 0x62, 10, 0xff]);
  writeFileSync(join(workdir, "bytes.txt"), bytes);
  writeFileSync(join(workdir, "run.sh"), "echo one\n");
  chmodSync(join(workdir, "run.sh"), 0o750);
  const turnId = await world.turn(
    write("bytes.txt", "new"),
    edit("run.sh", "one", "two"),
    ["bash", {}],
    edit("run.sh", "two", "three"),
    write("new/file.txt", "x"),
    write("..odd", "y"),
  );
  const report = await undo();
  assert.deepEqual(report, {
    turnId,
    restored: ["run.sh", "bytes.txt"],
    removed: ["..odd", "new/file.txt"],
    alreadyBack: [],
    skipped: [],
    notUndone: ["bash 3"],
    usedCalls: [],
  });
  assert.deepEqual(readFileSync(join(workdir, "bytes.txt")), bytes);
  assert.equal(read("run.sh"), "echo one\n");
  assert.equal(statSync(join(workdir, "run.sh")).mode & 0o777, 0o750);
  assert.equal(existsSync(join(workdir, "new")), false);

  const undone = session.branch.at(-2);
  assert.ok(undone?.type === "undone");
  assert.deepEqual([undone.turnId, undone.files], [turnId, ["run.sh", "bytes.txt", "..odd", "new/file.txt"]]);
  session.append(user("and now?"));
  const last = assembleConversation(session.branch).messages.at(-1);
  assert.ok(last?.role === "user");
  assert.deepEqual(last.parts, [
    {
      type: "text",
      text: "[Note] The person took your last file changes back. As they were before: run.sh, bytes.txt. Removed again: ..odd, new/file.txt. Commands of that turn were not undone.",
    },
    { type: "text", text: "and now?" },
  ]);
});

test("each undo goes one turn further back, past turns that changed nothing", async (t) => {
  const { turn, undo, read } = await setUp(t);
  const first = await turn(write("a.txt", "1"));
  await turn(["bash", {}]);
  const third = await turn(write("a.txt", "2"), write("a.txt", "3"));
  assert.equal((await undo())?.turnId, third);
  assert.equal(read("a.txt"), "1");
  assert.equal((await undo())?.turnId, first);
  assert.equal(read("a.txt"), undefined);
  assert.equal(await undo(), undefined);
  const fourth = await turn(write("a.txt", "4"));
  assert.equal((await undo())?.turnId, fourth);
  assert.equal(await undo(), undefined);
});

test("a file that somebody else changed since is left as it is, unless forced", async (t) => {
  const { workdir, session, turn, undo, read } = await setUp(t);
  await turn(write("a.txt", "old a"), write("b.txt", "old b"), write("c.txt", "old c"));
  const turnId = await turn(write("a.txt", "a"), write("b.txt", "b"), write("c.txt", "c"), write("d.txt", "d"));
  writeFileSync(join(workdir, "a.txt"), "by hand");
  rmSync(join(workdir, "b.txt"));
  writeFileSync(join(workdir, "d.txt"), "by hand");
  const reason = "It was changed since by somebody else.";
  assert.deepEqual(await undo(), {
    turnId,
    restored: ["c.txt"],
    removed: [],
    alreadyBack: [],
    skipped: ["d.txt", "b.txt", "a.txt"].map((path) => ({ path, reason, forceHelps: true })),
    notUndone: [],
    usedCalls: [],
  });
  assert.deepEqual(
    [read("a.txt"), read("b.txt"), read("c.txt"), read("d.txt")],
    ["by hand", undefined, "old c", "by hand"],
  );
  const forced = await undo(true);
  assert.deepEqual(
    [forced?.turnId, forced?.restored, forced?.removed, forced?.skipped],
    [turnId, ["b.txt", "a.txt"], ["d.txt"], []],
  );
  assert.deepEqual(
    [read("a.txt"), read("b.txt"), read("c.txt"), read("d.txt")],
    ["old a", "old b", "old c", undefined],
  );
  assert.notEqual((await undo())?.turnId, turnId);
  assert.equal(session.branch.filter(({ type }) => type === "undone").length, 3);
});

test("nothing is noted when every file was left as it is", async (t) => {
  const { workdir, session, turn, undo } = await setUp(t);
  const turnId = await turn(write("a.txt", "a"));
  writeFileSync(join(workdir, "a.txt"), "by hand");
  const before = session.branch.length;
  assert.equal((await undo())?.turnId, turnId);
  assert.equal((await undo())?.skipped.length, 1);
  assert.equal(session.branch.length, before);
});

test("what came between two changes of a turn is not lost: only the last one is taken back", async (t) => {
  const { workdir, turn, undo, read, session, preImages } = await setUp(t);
  writeFileSync(join(workdir, "a.txt"), "first");
  const turnId = await turn(edit("a.txt", "first", "second"));
  writeFileSync(join(workdir, "a.txt"), "second, by hand");
  // The same turn goes on.
  const { engine } = setUpEngine({ tools: [writeTool], workdir, keepBefore: preImages.keep });
  await engine.call({ tool: "write", input: write("a.txt", "third")[1], conversationId: session.id });
  assert.equal(preImages.list(session.id, turnId).length, 2);
  const report = await undo();
  assert.deepEqual(report?.restored, ["a.txt"]);
  const reason = "Only its last changes were taken back. It was changed since by somebody else.";
  assert.deepEqual(report?.skipped, [{ path: "a.txt", reason, forceHelps: true }]);
  assert.equal(read("a.txt"), "second, by hand");
  const forced = await undo(true);
  assert.deepEqual([forced?.turnId, forced?.restored, forced?.skipped], [turnId, ["a.txt"], []]);
  assert.equal(read("a.txt"), "first");
});

test("what is as before already is told as such, and the undo after that goes further back", async (t) => {
  const { workdir, session, turn, undo } = await setUp(t);
  const first = await turn(write("a.txt", "a"));
  await turn(write("b.txt", "b"));
  rmSync(join(workdir, "b.txt"));
  const report = await undo();
  assert.deepEqual([report?.restored, report?.removed, report?.alreadyBack], [[], [], ["b.txt"]]);
  const remark = session.branch.at(-1);
  assert.ok(remark?.type === "remark");
  assert.match(remark.text, /They were so already: b\.txt\./);
  assert.equal((await undo())?.turnId, first);
});

test("folders that the turn made go with the last of their files; what others put there keeps its folder", async (t) => {
  const { workdir, turn, undo } = await setUp(t);
  mkdirSync(join(workdir, "there"));
  await turn(
    write("new/deep/a.txt", "a"),
    write("new/deep/b.txt", "b"),
    write("there/sub/c.txt", "c"),
    write("shared/d.txt", "d"),
  );
  writeFileSync(join(workdir, "shared", "mine.txt"), "");
  writeFileSync(join(workdir, "new", "deep", "b.txt"), "by hand");
  const report = await undo();
  assert.deepEqual(report?.removed, ["shared/d.txt", "there/sub/c.txt", "new/deep/a.txt"]);
  assert.deepEqual(readdirSync(join(workdir, "there")), []);
  assert.deepEqual(readdirSync(join(workdir, "shared")), ["mine.txt"]);
  assert.deepEqual(readdirSync(join(workdir, "new", "deep")), ["b.txt"]);
  assert.deepEqual((await undo(true))?.removed, ["new/deep/b.txt"]);
  assert.equal(existsSync(join(workdir, "new")), false);
});

test("links that were put in the way are not followed, inside the workdir or out of it", async (t) => {
  const { workdir, turn, undo, read } = await setUp(t);
  const outside = await temporaryFolder(t);
  const first = await turn(write("first.txt", "1"));
  await turn(write("in/a.txt", "a"), write("out/b.txt", "b"), write("c.txt", "c"), write("d.txt", "d"));
  renameSync(join(workdir, "in"), join(workdir, "moved"));
  symlinkSync("moved", join(workdir, "in"));
  renameSync(join(workdir, "out"), join(outside, "out"));
  symlinkSync(join(outside, "out"), join(workdir, "out"));
  renameSync(join(workdir, "c.txt"), join(outside, "c.txt"));
  symlinkSync(join(outside, "c.txt"), join(workdir, "c.txt"));
  rmSync(join(workdir, "d.txt"));
  mkdirSync(join(workdir, "d.txt"));
  writeFileSync(join(workdir, "d.txt", "precious"), "");
  for (const force of [false, true]) {
    const report = await undo(force);
    assert.deepEqual(
      [report?.restored, report?.removed, report?.skipped],
      [
        [],
        [],
        [
          { path: "d.txt", reason: "It is no regular file any more.", forceHelps: false },
          { path: "c.txt", reason: "It is no regular file any more.", forceHelps: false },
          { path: "out/b.txt", reason: "out/b.txt is outside the workdir.", forceHelps: false },
          { path: "in/a.txt", reason: "A link is on the way to it now.", forceHelps: false },
        ],
      ],
    );
  }
  assert.equal(readFileSync(join(workdir, "moved", "a.txt"), "utf8"), "a");
  assert.equal(readFileSync(join(outside, "out", "b.txt"), "utf8"), "b");
  assert.equal(readFileSync(join(outside, "c.txt"), "utf8"), "c");
  assert.deepEqual(readdirSync(join(workdir, "d.txt")), ["precious"]);
  // Even force could do nothing: the turns before are not out of reach for that.
  assert.equal((await undo())?.turnId, first);
  assert.equal(read("first.txt"), undefined);
});

test("what is kept is private, and what was damaged there is not put back", async (t) => {
  const { workdir, session, turn, undo, read } = await setUp(t);
  writeFileSync(join(workdir, "a.txt"), "old");
  const turnId = await turn(write("a.txt", "new"));
  const folder = join(workdir, ".deckhand", "undo", session.id, turnId);
  assert.equal(statSync(folder).mode & 0o777, 0o700);
  const kept = readdirSync(folder).map((name) => join(folder, name));
  assert.equal(kept.length, 2);
  for (const path of kept) assert.equal(statSync(path).mode & 0o777, 0o600);
  writeFileSync(
    kept.find((path) => !path.endsWith(".jsonl"))!,
    "tampered",
  );
  assert.deepEqual((await undo())?.skipped, [
    { path: "a.txt", reason: "Its old content was removed or damaged since.", forceHelps: false },
  ]);
  assert.equal(read("a.txt"), "new");
});

test("a change that can't be kept is not made", async (t) => {
  const { workdir, session, turn, read } = await setUp(t);
  await turn(write("a.txt", "old"));
  const { engine } = setUpEngine({
    tools: [writeTool, editTool],
    workdir,
    keepBefore: () => Promise.reject(Object.assign(new Error("full"), { code: "ENOSPC" })),
  });
  for (const [tool, input] of [write("a.txt", "new"), edit("a.txt", "old", "new"), write("b.txt", "new")]) {
    const { state, errorType } = await engine.call({ tool, input, conversationId: session.id });
    assert.deepEqual([state, errorType], ["failed", "disk_full"]);
  }
  assert.deepEqual([read("a.txt"), read("b.txt")], ["old", undefined]);
});

test("calls outside of a session, and changes that were not made, leave nothing to undo", async (t) => {
  const { workdir, session, preImages, turn, undo } = await setUp(t);
  writeFileSync(join(workdir, "a.txt"), "old");
  const turnId = await turn(["bash", {}]);
  const { engine } = setUpEngine({ tools: [writeTool, editTool], workdir, keepBefore: preImages.keep });
  await engine.call({ tool: "write", input: write("a.txt", "new")[1] });
  const refused = await engine.call({
    tool: "edit",
    input: edit("a.txt", "not there", "new")[1],
    conversationId: session.id,
  });
  assert.equal(refused.state, "failed");
  assert.deepEqual(preImages.list(session.id, turnId), []);
  assert.equal(await undo(), undefined);
});

test("a file too large to be kept is changed, and undo says that it stays", async (t) => {
  const { workdir, turn, undo, read } = await setUp(t);
  writeFileSync(join(workdir, "large.txt"), Buffer.alloc(32_000_001, "x"));
  await turn(write("large.txt", "small"));
  assert.deepEqual((await undo())?.skipped, [
    { path: "large.txt", reason: "It was too large for its old content to be kept.", forceHelps: false },
  ]);
  assert.equal(read("large.txt"), "small");
});

test("an undo names the calls whose results were read before the last change that it put back, and no others", async (t) => {
  const { workdir, turn, round, undo } = await setUp(t);
  await turn(["bash", {}]);
  await turn(["bash", {}]);
  const [first] = await round(["bash", {}]);
  const [beside, change] = await round(["bash", {}], write("a.txt", "a"));
  const [besideLast] = await round(["bash", {}], write("b.txt", "b"));
  await round(["bash", {}]);
  writeFileSync(join(workdir, "b.txt"), "by hand");
  const early = (await undo())!;
  assert.deepEqual([early.removed, early.usedCalls.slice(0, 1), early.usedCalls.length], [["a.txt"], [first], 2]);
  const late = (await undo(true))!;
  assert.deepEqual([late.removed, late.usedCalls.slice(0, 3)], [["b.txt"], [change, beside, first]]);
  assert.equal(late.usedCalls.includes(besideLast!), false);
});

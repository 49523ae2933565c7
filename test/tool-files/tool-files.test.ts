import assert from "node:assert/strict";
import { mkdir, readFile, readdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { hasPython } from "../support/require.ts";
import { openToolBench, say, saying } from "./support.ts";

const example = join(import.meta.dirname, "..", "..", "examples", "tools", "echo_tool.ts");

test("a file in tools/ is a tool: echo_tool of the examples, as it ships [C2]", async (t) => {
  const bench = await openToolBench(t, { "echo_tool.ts": await readFile(example, "utf8") });
  const runtime = await bench.open();
  const plain = await runtime.call("echo_tool", { text: "hi" });
  assert.deepEqual(plain.result, { ok: true, output: "hi" });
  assert.match(plain.version ?? "", /^echo_tool@[0-9a-f]{12}$/);
  assert.equal((await runtime.call("echo_tool", { text: "hi", mode: "upper" })).result?.output, "HI");
  assert.equal((await runtime.call("echo_tool", { text: "abc", mode: "reverse" })).result?.output, "cba");
  const missing = await runtime.call("echo_tool", {});
  assert.equal(missing.errorType, "invalid_input");
  assert.equal(missing.error, "Missing parameters: text");
  const wrong = await runtime.call("echo_tool", { text: "hi", mode: "loud" });
  assert.equal(wrong.errorType, "invalid_input");
  assert.match(wrong.error ?? "", /^Wrong parameters: mode: expected one of "plain", "upper", "reverse"/);
  const traits = runtime.tools.resolve("echo_tool")!.traits;
  assert.deepEqual([traits.readOnly, traits.risk, traits.replay], [true, "low", "safe"]);
});

test("a file that was dropped, edited, renamed or removed counts at the next use, in a running runtime [C2, C3]", async (t) => {
  const bench = await openToolBench(t, { "first.ts": saying("first", { name: "first" }) });
  const runtime = await bench.open();
  await bench.save("say.ts", saying("one"));
  assert.equal(await say(runtime), "one");
  await bench.save("say.ts", saying("two"));
  assert.equal(await say(runtime), "two");
  await rename(join(bench.folder, "say.ts"), join(bench.folder, "other.ts"));
  assert.equal(await say(runtime), "two");
  assert.deepEqual(
    runtime.customTools().files.map(({ file, tool }) => [file, tool]),
    [
      ["tools/first.ts", "first"],
      ["tools/other.ts", "say"],
    ],
  );
  await bench.remove("other.ts");
  assert.match(await say(runtime), /^failed: Unknown tool: say/);
  assert.equal(await say(runtime, "first"), "first");
});

test("a file that is saved again within one tick of the file system's clock is read again [C3]", async (t) => {
  const bench = await openToolBench(t, { "say.ts": saying("start") });
  const runtime = await bench.open();
  // In place and of the same length: only the time could tell them apart, and it stands still for some milliseconds.
  for (const word of ["aaaa", "bbbb", "cccc", "dddd"]) {
    await writeFile(join(bench.folder, "say.ts"), saying(word));
    const version = await runtime.prepareTools().then(() => runtime.tools.resolve("say")!.version);
    await writeFile(join(bench.folder, "say.ts"), saying(word.toUpperCase()));
    await runtime.prepareTools();
    assert.notEqual(runtime.tools.resolve("say")!.version, version);
    assert.equal(await say(runtime), word.toUpperCase());
  }
});

test("a broken file is shown with line and reason, and the version that worked last goes on working, also after a restart [C3]", async (t) => {
  const bench = await openToolBench(t, { "say.ts": saying("good"), "other.ts": saying("other", { name: "other" }) });
  const runtime = await bench.open();
  assert.equal(await say(runtime), "good");
  await bench.save("say.ts", "export const TOOL_SPEC = {\n  name: ;\n");
  assert.equal(await say(runtime), "good");
  assert.equal(await say(runtime, "other"), "other");
  const [, status] = runtime.customTools().files;
  assert.equal(status?.state, "broken");
  assert.equal(status.isCurrent, false);
  assert.equal(status.problem?.line, 2);
  await runtime.close();

  const later = await bench.open();
  assert.equal(await say(later), "good");
  assert.match(
    later.warnings.join("\n"),
    /tools\/say\.ts:2: Syntax error: .*[^.]\. Until then calls run say@[0-9a-f]{12}\./,
  );
  await bench.save("say.ts", saying("mended"));
  assert.equal(await say(later), "mended");
});

test("what is no tool is said for each file, and takes no other down [C3]", async (t) => {
  const bench = await openToolBench(t, {
    "a.ts": saying("a", { name: "twice" }),
    "b.ts": saying("b", { name: "twice" }),
    "builtin.ts": saying("x", { name: "bash" }),
    "alias.ts": saying("x", { name: "run_shell" }),
    "empty.ts": "",
    ...(hasPython() ? { "plain.py": "print('no tool')\n" } : {}),
    "_helper.ts": "not even code",
    "say.test.ts": "not even code",
    "say.ts": saying("said"),
  });
  await mkdir(join(bench.folder, "folder.ts"));
  await writeFile(join(bench.home, "outside.ts"), saying("outside", { name: "outside" }));
  await symlink("../outside.ts", join(bench.folder, "link.ts"));
  const runtime = await bench.open();
  assert.equal(await say(runtime), "said");
  assert.equal(await say(runtime, "twice"), "a");
  assert.equal(runtime.tools.resolve("run_shell")!.version, "builtin");
  const problems = Object.fromEntries(
    runtime.customTools().files.map(({ file, problem }) => [file.slice("tools/".length), problem?.message ?? null]),
  );
  assert.deepEqual(problems, {
    "a.ts": null,
    "alias.ts": 'The name "run_shell" is another name of the built-in tool "bash".',
    "b.ts": 'a.ts already has a tool named "twice".',
    "builtin.ts": 'The name "bash" belongs to a built-in tool.',
    "empty.ts": "It is empty.",
    "folder.ts": "folder.ts is a folder.",
    "link.ts": "link.ts is a symbolic link.",
    ...(hasPython() ? { "plain.py": "It exports no TOOL_SPEC." } : {}),
    "say.ts": null,
  });
  await bench.remove("a.ts");
  assert.equal(await say(runtime, "twice"), "b");
});

test("a name stays with the file that had it, also for the next process, also when that file is broken [C2 C3]", async (t) => {
  const bench = await openToolBench(t, { "say.ts": saying("first") });
  const open = () => bench.open({ settings: { permissions: { allow: ["*"] }, rollout: { mode: "canary" } } });
  const before = await open();
  assert.equal(await say(before), "first");
  await before.close();
  await bench.save("a.ts", saying("another"));
  for (const content of [saying("first"), "export const TOOL_SPEC = {"]) {
    await bench.save("say.ts", content);
    const runtime = await open();
    assert.equal(await say(runtime), "first");
    assert.match(runtime.warnings.join("\n"), /^tools\/a\.ts: say\.ts already has a tool named "say"\./m);
    assert.equal((await (await runtime.rollouts()).history({ limit: 10 })).length, 1);
    await runtime.close();
  }
  await bench.remove("say.ts");
  const after = await open();
  const rollouts = await after.rollouts();
  // The name is the other file's now; what that has is a new version of the tool.
  const [view] = await rollouts.list("say");
  assert.deepEqual([view?.file, view?.status], ["tools/a.ts", "running"]);
  await rollouts.promote("say", { to: "all" });
  assert.equal(await say(after), "another");
});

test("an unchanged folder is not asked again what it is: not within a process, not by the next one [C3]", async (t) => {
  const counting = `import { appendFileSync } from "node:fs";\nappendFileSync("loads.txt", "x");\n${saying("said")}`;
  const bench = await openToolBench(t, { "say.ts": counting });
  const loads = async (): Promise<number> => (await readFile(join(bench.home, "loads.txt"), "utf8")).length;
  const runtime = await bench.open();
  for (let n = 0; n < 5; n++) await runtime.prepareTools();
  assert.equal(await loads(), 1);
  await runtime.close();
  const later = await bench.open();
  assert.equal(later.tools.resolve("say")?.name, "say");
  assert.equal(await loads(), 1);
  await rm(join(bench.home, ".deckhand", "versions"), { recursive: true });
  assert.equal(await say(await bench.open()), "said");
});

test("what a tool imports from its folder is part of its version [C3]", async (t) => {
  const importing = `import { word } from "./words/word.ts";\n${saying("x").replace('"x"', "word")}`;
  const bench = await openToolBench(t);
  await mkdir(join(bench.folder, "words"));
  await writeFile(join(bench.folder, "words", "word.ts"), 'export const word = "one";\n');
  await bench.save("say.ts", importing);
  bench.trust();
  const runtime = await bench.open();
  const first = await runtime.call("say", {});
  assert.equal(first.result?.output, "one");
  await writeFile(join(bench.folder, "words", "word.ts"), 'export const word = "two";\n');
  const second = await runtime.call("say", {});
  assert.equal(second.result?.output, "two");
  assert.notEqual(second.version, first.version);
});

test("a damaged store of versions is written anew [C3]", async (t) => {
  const bench = await openToolBench(t, { "say.ts": saying("said") });
  const first = await bench.open();
  const hash = (await first.call("say", {})).version!.slice("say@".length);
  await first.close();
  const versions = join(bench.home, ".deckhand", "versions");
  const folder = (await readdir(versions)).find((name) => name.startsWith(hash))!;
  await writeFile(join(versions, folder, "files", "say.ts"), "broken");
  await writeFile(join(versions, folder, "spec.json"), "{");
  await writeFile(join(versions, "good.json"), "[");
  const later = await bench.open();
  assert.equal(await say(later), "said");
  assert.deepEqual(
    later.customTools().files.map(({ problem }) => problem),
    [null],
  );
});

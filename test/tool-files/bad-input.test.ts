import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { chmod, mkdir, readFile, rename, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { systemClock, type Clock } from "../../src/core/clock.ts";
import type { Runtime } from "../../src/runtime/create-runtime.ts";
import { describeProblem } from "../../src/tool-files/tool-file-status.ts";
import { afterTest } from "../support/after-test.ts";
import { until } from "../support/runtime.ts";
import { hasPython, userLane } from "../support/require.ts";
import { openToolBench, say, saying } from "./support.ts";

const beside = { "beside.ts": saying("fine", { name: "beside" }) };

/** What is said of each file that can't be used, as a person reads it. */
function problemsOf(runtime: Runtime): Record<string, string> {
  return Object.fromEntries(
    runtime.customTools().files.flatMap((status) => {
      const told = describeProblem(status);
      return told === null ? [] : [[status.file, told]];
    }),
  );
}

function running(body: string, more: Readonly<Record<string, unknown>> = {}): string {
  return saying("x", more).replace(/=> .*/, `=> { ${body} };`);
}

/** Files that are no tool as they are: what is said of them, and that the others go on. */
const refused: Readonly<Record<string, readonly [file: string, content: string, said: RegExp]>> = {
  "1 MB of text": [
    "big.ts",
    `// ${"x".repeat(1024 * 1024)}\n`,
    /^tools\/big\.ts: big\.ts is larger than 1 MB\. Read data when/,
  ],
  "1 MB of schema": [
    "big.ts",
    saying("x", { name: "big" }).replace('"properties":{}', '"properties":{},"title":"x".repeat(1024 * 1024)'),
    /^tools\/big\.ts:1: TOOL_SPEC has 102\d kB; at most 256 kB are read\. A model reads all of it/,
  ],
  "a name of a built-in tool": [
    "own.ts",
    saying("x", { name: "bash" }),
    /^tools\/own\.ts: The name "bash" belongs to a built-in tool\. Give it another name in TOOL_SPEC\.$/,
  ],
  "another name of a built-in tool": [
    "own.ts",
    saying("x", { name: "read_file" }),
    /^tools\/own\.ts: The name "read_file" is another name of the built-in tool "read"\. Give it another name/,
  ],
  "half of a file": ["half.ts", saying("x").slice(0, 60), /^tools\/half\.ts:1: Syntax error: .+/],
  "a file without an export": [
    "none.js",
    "const nothing = 1;\n",
    /^tools\/none\.js: It exports no TOOL_SPEC\. Write: export/,
  ],
};

for (const [what, [file, content, said]] of Object.entries(refused)) {
  test(`${what}: the file and what to do are said, the others go on [C2 C3]`, async (t) => {
    const bench = await openToolBench(t, { ...beside, [file]: content });
    const runtime = await bench.open();
    assert.match(problemsOf(runtime)[`tools/${file}`] ?? "", said);
    assert.equal(await say(runtime, "beside"), "fine");
    assert.equal(await readFile(join(bench.folder, file), "utf8"), content);
  });
}

test("a $ref to the network is refused, and nothing is fetched [C2 C5]", async (t) => {
  let requests = 0;
  const server = createServer((_, response) => {
    requests += 1;
    response.end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  afterTest(t, () => new Promise((resolve) => server.close(resolve)));
  const reference = `http://127.0.0.1:${(server.address() as AddressInfo).port}/schema.json`;
  const schema = { type: "object", properties: { x: { $ref: reference } } };
  const python = `TOOL_SPEC = ${JSON.stringify({ name: "far_py", description: "x", input_schema: schema })}\ndef run(i, c):\n    return "x"\n`;
  const bench = await openToolBench(t, {
    ...beside,
    "far.ts": saying("x", { name: "far", input_schema: schema }),
    ...(hasPython() ? { "far.py": python } : {}),
  });
  const runtime = await bench.open();
  const problems = problemsOf(runtime);
  for (const file of ["tools/far.ts", ...(hasPython() ? ["tools/far.py"] : [])]) {
    assert.match(
      problems[file] ?? "",
      /\$ref: must refer to this schema itself; got "http.*Put the schema into \$defs/,
    );
  }
  assert.equal(await say(runtime, "beside"), "fine");
  assert.match(await say(runtime, "far"), /^failed: Unknown tool/);
  assert.equal(requests, 0);
});

test("whatever a tool returns ends its call with a reason, and the next call works [C2 C5]", async (t) => {
  const bench = await openToolBench(t, {
    ...beside,
    "circular.ts": running("const a = {}; a.a = a; return a;", { name: "circular" }),
    "huge.ts": running('return "x".repeat(100 * 1024 * 1024);', { name: "huge" }),
    "nothing.ts": running("return undefined;", { name: "nothing" }),
    "never.ts": running("return new Promise(() => {});", { name: "never", timeout_ms: 300 }),
  });
  const runtime = await bench.open();
  const circular = await runtime.call("circular", {});
  assert.deepEqual([circular.state, circular.errorType], ["failed", "invalid_result"]);
  assert.match(
    circular.error ?? "",
    /^The tool returned something that can't be written as JSON \(.*; return a string/,
  );
  assert.deepEqual(
    circular.result && !circular.result.ok && circular.result.hint,
    "Correct what run() returns in tools/circular.ts.",
  );
  const huge = await runtime.call("huge", {});
  assert.equal(huge.state, "completed");
  assert.equal(huge.outputBytes, 100 * 1024 * 1024);
  assert.ok(huge.result!.output!.length < 8_001_000);
  assert.deepEqual((await runtime.call("nothing", {})).result, { ok: true, output: "" });
  const never = await runtime.call("never", {});
  assert.deepEqual([never.state, never.error, never.survivors], ["timeout", "Timeout after 0.3 s", []]);
  assert.equal(await say(runtime, "beside"), "fine");
});

test("a file that is deleted while it runs ends its call; the tool is gone then, and the others go on [C4 C10]", async (t) => {
  const waiting = `import { existsSync, writeFileSync } from "node:fs";
${running('writeFileSync("inside", ""); while (!existsSync("go")) await new Promise((done) => setTimeout(done, 10)); return "done";').replace("() =>", "async () =>")}`;
  const bench = await openToolBench(t, { ...beside, "say.ts": waiting });
  const runtime = await bench.open();
  const call = runtime.call("say", {});
  await until("the call is inside", () => existsSync(join(bench.home, "inside")));
  await bench.remove("say.ts");
  assert.match(await say(runtime), /^failed: Unknown tool: say/);
  await writeFile(join(bench.home, "go"), "");
  assert.equal((await call).result?.output, "done");
  assert.equal(await say(runtime, "beside"), "fine");
});

test("a renamed file is the same tool under its new name, and what the old one made is closed [C3 C4]", async (t) => {
  const living = `import { appendFileSync } from "node:fs";
${saying("x").split("export const run")[0]}
export function create({ workdir }) {
  appendFileSync(workdir + "/life", "+");
  return { run: () => "alive", close: () => appendFileSync(workdir + "/life", "-") };
}
`;
  const bench = await openToolBench(t, { ...beside, "say.ts": living });
  const runtime = await bench.open();
  const before = await runtime.call("say", {});
  await rename(join(bench.folder, "say.ts"), join(bench.folder, "told.ts"));
  const after = await runtime.call("say", {});
  assert.deepEqual([before.result?.output, after.result?.output], ["alive", "alive"]);
  assert.equal(before.version, after.version);
  assert.deepEqual(
    runtime.customTools().files.map(({ file }) => file),
    ["tools/beside.ts", "tools/told.ts"],
  );
  await runtime.close();
  const life = await readFile(join(bench.home, "life"), "utf8");
  assert.deepEqual([life.length, life.replaceAll("-", "").length], [4, 2]);
});

test("links, folders and names of every kind: each is said, or is a tool like any other [C2 C3]", async (t) => {
  const names = ["with space.ts", "ünïcode-名前.ts", "line\nbreak.ts", "100%25.ts", "a#b?c.ts"];
  const files = Object.fromEntries(names.map((name, n) => [name, saying(`said ${n}`, { name: `odd_${n}` })]));
  const bench = await openToolBench(t, {
    ...beside,
    ...files,
    "broken\nname.ts": "export const TOOL_SPEC = {\n  name: ;\n",
  });
  await mkdir(join(bench.folder, "folder.ts"));
  await writeFile(join(bench.home, "outside.ts"), saying("outside", { name: "outside" }));
  await symlink("../outside.ts", join(bench.folder, "link.ts"));
  const runtime = await bench.open();
  for (const n of names.keys()) assert.equal(await say(runtime, `odd_${n}`), `said ${n}`);
  assert.deepEqual(problemsOf(runtime), {
    "tools/broken\nname.ts": "tools/broken\\nname.ts:2: Syntax error: Expression expected",
    "tools/folder.ts": "tools/folder.ts: folder.ts is a folder. A tool is a file; give the folder another name.",
    "tools/link.ts": "tools/link.ts: link.ts is a symbolic link. Put the file itself there.",
  });
  assert.match(await say(runtime, "outside"), /^failed: Unknown tool/);
  await bench.save("with space.ts", "export const TOOL_SPEC = {\n\n  name: ;\n");
  assert.equal(await say(runtime, "odd_0"), "said 0");
  assert.match(
    problemsOf(runtime)["tools/with space.ts"] ?? "",
    /^tools\/with space\.ts:3: .*Until then calls run odd_0@/,
  );
});

test("a file that can't be read is said with what to do, and is a tool when it can [C3]", userLane(), async (t) => {
  const bench = await openToolBench(t, { ...beside, "say.ts": saying("said") });
  await chmod(join(bench.folder, "say.ts"), 0o000);
  const runtime = await bench.open();
  assert.match(
    problemsOf(runtime)["tools/say.ts"] ?? "",
    /^tools\/say\.ts: say\.ts can't be read: .*Check its owner and mode\./,
  );
  assert.equal(await say(runtime, "beside"), "fine");
  await chmod(join(bench.folder, "say.ts"), 0o600);
  assert.equal(await say(runtime), "said");
});

test("a file that is saved in two halves, or twice at once, counts as it is in the end [C3]", async (t) => {
  const bench = await openToolBench(t, { ...beside, "say.ts": saying("start") });
  const runtime = await bench.open();
  assert.equal(await say(runtime), "start");
  const path = join(bench.folder, "say.ts");
  const whole = saying("whole");
  await writeFile(path, whole.slice(0, 80));
  assert.equal(await say(runtime), "start");
  await writeFile(path, whole);
  assert.equal(await say(runtime), "whole");
  for (const word of ["aaaa", "bbbb", "cccc"]) {
    await Promise.all([writeFile(path, saying(word)), runtime.prepareTools()]);
    await writeFile(path, saying(word.toUpperCase()));
    assert.equal(await say(runtime), word.toUpperCase());
  }
  assert.deepEqual(problemsOf(runtime), {});
});

test("what a broken file imports may come later, in whatever folder [C3]", async (t) => {
  const importing = `import { word } from "./words/word.ts";\n${saying("x").replace('"x"', "word")}`;
  const bench = await openToolBench(t, beside);
  await mkdir(join(bench.folder, "words"));
  const runtime = await bench.open();
  await bench.save("say.ts", importing);
  assert.match(await say(runtime), /^failed: Unknown tool/);
  assert.match(problemsOf(runtime)["tools/say.ts"] ?? "", /^tools\/say\.ts:1: Cannot find module .*Check the path/);
  await writeFile(join(bench.folder, "words", "word.ts"), 'export const word = "there";\n');
  assert.equal(await say(runtime), "there");
});

test("a clock that jumps by a year, ahead and back, changes nothing: every save is noticed [C3 C5]", async (t) => {
  const year = 365 * 24 * 3600_000;
  let jumpMs = 0;
  const clock: Clock = { ...systemClock, now: () => Date.now() + jumpMs };
  const bench = await openToolBench(t, { ...beside, "say.ts": saying("start") });
  const runtime = await bench.open({ clock });
  const path = join(bench.folder, "say.ts");
  for (const [n, jump] of [year, -year, 0].entries()) {
    jumpMs = jump;
    await writeFile(path, saying(`word${n}`));
    await runtime.prepareTools();
    await writeFile(path, saying(`WORD${n}`));
    const { state, result, durationMs } = await runtime.call("say", {});
    assert.deepEqual([state, result?.output], ["completed", `WORD${n}`]);
    assert.ok(durationMs! < 60_000, `${durationMs} ms`);
  }
  assert.equal(await say(runtime, "beside"), "fine");
});

test("10,000 files in the folder: a tool that works stays, and one sentence says what is passed over [C3]", async (t) => {
  const bench = await openToolBench(t, { "zzz.ts": saying("still here", { name: "zzz" }) });
  const runtime = await bench.open();
  assert.equal(await say(runtime, "zzz"), "still here");
  for (let n = 0; n < 10_000; n++) writeFileSync(join(bench.folder, `f${n}.ts`), "");
  assert.equal(await say(runtime, "zzz"), "still here");
  await runtime.reloadTools();
  assert.equal(await say(runtime, "zzz"), "still here");
  assert.deepEqual([runtime.customTools().total, runtime.customTools().files.length], [10_001, 1000]);
  await runtime.close();
  const later = await bench.open();
  const told = later.warnings.join("\n");
  assert.match(told, /tools has 10001 files that could be tools; only the first 1000 are looked at\./);
  assert.match(told, /tools\/f0\.ts: It is empty\. Save the tool into it, or remove it\./);
});

test("a Python file on a machine without Python is said with what to do, and the others go on [C2]", async (t) => {
  const python =
    'TOOL_SPEC = {"name": "snake", "description": "x", "input_schema": {"type": "object"}}\ndef run(i, c):\n    return "hiss"\n';
  const bench = await openToolBench(t, { ...beside, "snake.py": python });
  const programs = join(bench.home, "..", "programs");
  await mkdir(programs);
  const runtime = await bench.open({ env: { ...bench.env, PATH: programs } });
  assert.match(
    problemsOf(runtime)["tools/snake.py"] ?? "",
    /^tools\/snake\.py: .*there is no python3 or python in PATH: install Python 3\.8 or newer, or write the tool in TypeScript\./,
  );
  assert.equal(await say(runtime, "beside"), "fine");
});

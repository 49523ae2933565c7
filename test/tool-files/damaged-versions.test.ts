import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { cp, mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { describeProblem } from "../../src/tool-files/tool-file-status.ts";
import { count } from "../support/counts.ts";
import { openToolBench, say, saying, type ToolBench } from "./support.ts";

/** With a helper, so that a version has several files; with types, so that it has a copy without them. */
const importing = (word: string): string =>
  `import { mark } from "./_mark.ts";\n${saying(word).replace(/=> .*/, `(): string => "${word}" + mark;`).replace("() (): string", "(): string")}`;

async function openUsed(t: TestContext): Promise<{ readonly bench: ToolBench; readonly versions: string }> {
  const bench = await openToolBench(t, {
    "say.ts": importing("said"),
    "_mark.ts": 'export const mark: string = "!";\n',
    "other.ts": saying("other", { name: "other" }),
  });
  const runtime = await bench.open();
  assert.equal(await say(runtime), "said!");
  assert.equal(await say(runtime, "other"), "other");
  await runtime.close();
  return { bench, versions: join(bench.home, ".deckhand", "versions") };
}

async function filesIn(folder: string): Promise<string[]> {
  const all = await readdir(folder, { recursive: true, withFileTypes: true });
  return all.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
}

/** The runtime may put something back meanwhile. */
const whileItIsUsed = { recursive: true, force: true, maxRetries: 10 } as const;

const damages: Readonly<Record<string, (path: string) => Promise<unknown>>> = {
  truncated: async (path) => writeFile(path, (await readFile(path)).subarray(0, 20)),
  emptied: (path) => writeFile(path, ""),
  "replaced by garbage": (path) => writeFile(path, Buffer.from([0, 255, 10, 123, 200])),
  "replaced by another program": (path) => writeFile(path, saying("planted")),
  "made a folder": async (path) => {
    await rm(path);
    await mkdir(join(path, "inside"), { recursive: true });
  },
  removed: (path) => rm(path),
};

for (const [number, [what, damage]] of Object.entries(damages).entries()) {
  test(`each file of the store of versions ${what}: the tools run as they are, at a start and while they are in use [C3]`, async (t) => {
    const { bench, versions } = await openUsed(t);
    const whole = join(bench.home, "whole");
    await cp(versions, whole, { recursive: true });
    const files = (await filesIn(versions)).map((path) => path.slice(versions.length + 1)).sort();
    assert.ok(files.length >= 6, `${files.join(", ")}`);
    const inUse = await bench.open();
    // Few at a time: each takes a start of everything. All of them get their turn under some damage.
    const step = count({ quick: 4, full: 1 });
    for (const file of files.filter((_, index) => index % step === number % step)) {
      await rm(versions, whileItIsUsed);
      await cp(whole, versions, { recursive: true });
      await damage(join(versions, file));
      const started = await bench.open();
      for (const runtime of [started, inUse]) {
        assert.deepEqual([await say(runtime), await say(runtime, "other")], ["said!", "other"], file);
        assert.deepEqual(runtime.customTools().files.map(describeProblem), [null, null], file);
      }
      await started.close();
    }
    await inUse.close();
  });
}

test("the whole store removed, or a file in its place, while a runtime uses it and before the next [C3]", async (t) => {
  const { bench, versions } = await openUsed(t);
  const runtime = await bench.open();
  await rm(versions, whileItIsUsed);
  assert.equal(await say(runtime), "said!");
  await rm(versions, whileItIsUsed);
  await writeFile(versions, "not a folder");
  assert.equal(await say(await bench.open()), "said!");
  assert.ok((await stat(versions)).isDirectory());
  assert.equal(await readFile(`${versions}.damaged`, "utf8"), "not a folder");
});

test("a spec of another version of this program, or one that lies about its types, is asked for again [C3]", async (t) => {
  const { bench, versions } = await openUsed(t);
  const specs = (await filesIn(versions)).filter((path) => path.endsWith("spec.json"));
  for (const file of specs.slice(0, count({ quick: 1, full: specs.length }))) {
    const kept = JSON.parse(await readFile(file, "utf8")) as { v: number; spec: Record<string, unknown> };
    for (const other of [{ ...kept, v: 99 }, { ...kept, spec: { ...kept.spec, resources: 5 } }, { v: 1 }, [], null]) {
      await writeFile(file, JSON.stringify(other));
      const runtime = await bench.open();
      assert.deepEqual([await say(runtime), await say(runtime, "other")], ["said!", "other"]);
      await runtime.close();
      assert.deepEqual(JSON.parse(await readFile(file, "utf8")), kept);
    }
  }
});

test("when nobody knows any more which version worked last, it is found among those that were kept [C3]", async (t) => {
  const { bench, versions } = await openUsed(t);
  for (const damage of [writeFile(join(versions, "good.json"), "[]"), rm(join(versions, "good.json"))]) {
    await damage;
    await bench.save("say.ts", "export const TOOL_SPEC = ;\n");
    const runtime = await bench.open();
    assert.equal(await say(runtime), "said!");
    assert.match(runtime.warnings.join("\n"), /tools\/say\.ts:1: .*Until then calls run say@[0-9a-f]{12}\./);
    await runtime.close();
    await rm(join(versions, "good.json"), { force: true });
  }
});

test("a last good version whose copy is damaged is not run, and that is said with the file [C3]", async (t) => {
  const { bench, versions } = await openUsed(t);
  await bench.save("say.ts", "export const TOOL_SPEC = ;\n");
  const runtime = await bench.open();
  const [copy] = (await filesIn(versions)).filter((path) => path.endsWith("files/_mark.ts"));
  await writeFile(copy!, 'export const mark = " planted";\n');
  const { error, errorType, result, runPhase } = await runtime.call("say", {});
  assert.deepEqual([errorType, runPhase], ["broken_tool", "not_started"]);
  assert.equal(error, "The copy of tools/say.ts that this version runs from is damaged.");
  assert.match((result && !result.ok && result.hint) || "", /^Save tools\/say\.ts once more/);
  assert.equal(await say(runtime, "other"), "other");
  assert.ok(existsSync(copy!));
  await bench.save("say.ts", importing("mended"));
  assert.equal(await say(runtime), "mended!");
});

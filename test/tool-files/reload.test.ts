import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { count } from "../support/counts.ts";
import { until } from "../support/runtime.ts";
import { openToolBench, saying } from "./support.ts";

/** Notes when it was made and closed; a call tells which content it is made of. */
function living(word: string): string {
  return `import { appendFileSync } from "node:fs";
export const TOOL_SPEC = {
  name: "say",
  description: "Say a word.",
  input_schema: { type: "object", properties: { until: { type: "string" } } },
};
export function create({ workdir }) {
  const note = (what) => appendFileSync(workdir + "/life.txt", what + "\\n");
  const part = "${word}";
  note("create");
  return {
    async run({ until }, { workdir }) {
      const { existsSync, writeFileSync } = await import("node:fs");
      if (until) writeFileSync(workdir + "/entered", "");
      while (until && !existsSync(workdir + "/" + until)) await new Promise((resolve) => setTimeout(resolve, 10));
      return { ok: true, output: part + " " + "${word}" };
    },
    close: () => note("close"),
  };
}
`;
}

test("a call during a reload ends on the version it began with, the next takes the new one [C10, C4]", async (t) => {
  const bench = await openToolBench(t, { "say.ts": living("old") });
  const runtime = await bench.open();
  const slow = runtime.call("say", { until: "go" });
  await until("the call is inside", () => existsSync(join(bench.home, "entered")));
  await bench.save("say.ts", living("new"));
  const next = await runtime.call("say", {});
  assert.equal(next.result?.output, "new new");
  await writeFile(join(bench.home, "go"), "");
  const old = await slow;
  assert.equal(old.result?.output, "old old");
  assert.notEqual(old.version, next.version);
  await runtime.close();
  assert.deepEqual(await lives(bench.home), { create: 2, close: 2 });
});

test("a tool that is removed while it runs ends its call, and is closed then [C4, C10]", async (t) => {
  const bench = await openToolBench(t, { "say.ts": living("old"), "other.ts": saying("x", { name: "other" }) });
  const runtime = await bench.open();
  const slow = runtime.call("say", { until: "go" });
  await until("the call is inside", () => existsSync(join(bench.home, "entered")));
  await bench.remove("say.ts");
  assert.equal((await runtime.call("say", {})).errorType, "unknown_tool");
  await writeFile(join(bench.home, "go"), "");
  assert.equal((await slow).result?.output, "old old");
  await until("it is closed", async () => (await lives(bench.home)).close === 1);
});

test("a content that comes back while its old process ends is the same version: no call is lost, create and close pair [C3, C4, C10]", async (t) => {
  const words = ["one", "two", "three"];
  const bench = await openToolBench(t, { "say.ts": living("one") });
  const runtime = await bench.open();
  const reloads = count({ quick: 12, full: 200 });
  let isOver = false;
  let calls = 0;
  const versions = new Map<string, string>();

  async function load(): Promise<void> {
    while (!isOver) {
      const { state, error, result, version } = await runtime.call("say", {});
      assert.equal(state, "completed", error ?? "");
      const [first, second] = result!.output!.split(" ");
      assert.equal(first, second);
      assert.equal(versions.get(version!) ?? first, first, "a version is always the same content");
      versions.set(version!, first!);
      calls += 1;
    }
  }

  const load3 = Promise.all([load(), load(), load()]);
  try {
    for (let n = 1; n <= reloads; n++) {
      const before = calls;
      await bench.save("say.ts", living(words[n % words.length]!));
      await until("calls go on", () => calls > before + 1, 60_000);
    }
  } finally {
    isOver = true;
  }
  await load3;
  assert.equal(versions.size, words.length);
  await runtime.close();
  const { create, close } = await lives(bench.home);
  assert.equal(create, close);
  assert.ok(create >= words.length, `${create} hosts`);
});

async function lives(home: string): Promise<{ create: number; close: number }> {
  const lines = (await readFile(join(home, "life.txt"), "utf8")).split("\n");
  const of = (what: string): number => lines.filter((line) => line === what).length;
  return { create: of("create"), close: of("close") };
}

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { eventually } from "../../process/support.ts";
import { openHosts, spec } from "./support.ts";
import { laneOf } from "../../support/require.ts";
import type { HostBench } from "./support.ts";

const counted = `${spec("counted")}
import { appendFileSync } from "node:fs";
export function create({ workdir }) {
  const note = (text) => appendFileSync(workdir + "/notes", text + "\\n");
  note("create");
  return {
    run({ deed }, { progress, signal }) {
      note("run");
      if (deed === "exit") process.exit(1);
      if (deed === "wait") return new Promise((resolve) => { globalThis.go = () => resolve("waited"); progress("waiting"); });
      if (deed === "go") globalThis.go();
      return "done";
    },
    async close() { note("close"); },
  };
}`;

const notes = ({ workdir }: HostBench): string[] =>
  existsSync(join(workdir, "notes")) ? readFileSync(join(workdir, "notes"), "utf8").trim().split("\n") : [];

test("create runs once before the first call, close once when the file is retired [C4]", async (t) => {
  const bench = await openHosts(t);
  const file = bench.file("counted.js", counted);
  await bench.hosts.describe(file);
  await bench.hosts.check(file, {});
  assert.deepEqual(notes(bench), []);
  await Promise.all([1, 2, 3].map(() => bench.call(file)));
  await bench.hosts.retire(file);
  assert.deepEqual(notes(bench), ["create", "run", "run", "run", "close"]);
  assert.deepEqual(bench.hosts.list(), []);
});

test("a retired file finishes its call before it is closed; a new call gets a new process [C4 C10]", async (t) => {
  const bench = await openHosts(t);
  const file = bench.file("counted.js", counted);
  const begun = Promise.withResolvers<void>();
  const waiting = bench.call(file, { deed: "wait" }, { progress: () => begun.resolve() });
  await begun.promise;
  const go = bench.call(file, { deed: "go" });
  const retired = bench.hosts.retire(file);
  assert.deepEqual((await waiting).result, { ok: true, output: "waited" });
  await go;
  await retired;
  assert.deepEqual(notes(bench), ["create", "run", "run", "close"]);
  await bench.call(file);
  await bench.hosts.close();
  assert.deepEqual(notes(bench).slice(4), ["create", "run", "close"]);
});

test("after a crash nothing is closed, and the next call creates anew [C4]", async (t) => {
  const bench = await openHosts(t);
  const file = bench.file("counted.js", counted);
  await bench.call(file, { deed: "exit" });
  await bench.call(file);
  await bench.hosts.close();
  assert.deepEqual(notes(bench), ["create", "run", "create", "run", "close"]);
});

test("a close that hangs is cut off, and a create that fails is told [C4]", async (t) => {
  const bench = await openHosts(t, { limits: { closeMs: 300 } });
  const hanging = bench.file(
    "hanging.js",
    `${spec("x")}export const create = () => ({ run: () => "", close: () => { for (;;); } });`,
  );
  await bench.call(hanging);
  await bench.hosts.retire(hanging);
  assert.deepEqual(bench.hosts.list(), []);
  const failing = bench.file(
    "failing.js",
    `${spec("x")}export const create = () => { throw new Error("no database"); };`,
  );
  const { result, entered } = await bench.call(failing);
  assert.ok(!result.ok && !entered);
  assert.deepEqual([result.error, result.errorType], ["create() failed: no database", "threw"]);
});

test("a host without calls ends by itself, and so does the one used the longest ago when there are too many [C4]", async (t) => {
  const bench = await openHosts(t, { limits: { hosts: 2 } });
  const files = ["a", "b", "c"].map((name) => bench.file(`${name}.js`, `// ${name}\n${counted}`));
  for (const file of files) await bench.call(file);
  assert.deepEqual(
    bench.hosts
      .list()
      .filter(({ isRetired }) => !isRetired)
      .map(({ file }) => file),
    ["tools/b.js", "tools/c.js"],
  );
  assert.deepEqual(notes(bench).filter((each) => each === "close").length, 1);

  const short = await openHosts(t, { limits: { idleMs: 100 } });
  await short.call(short.file("counted.js", counted));
  await eventually(() => short.hosts.list().length === 0, "the idle host ended");
  assert.deepEqual(notes(short), ["create", "run", "close"]);
});

test("a place is waited for while every host has a call under way [C5]", async (t) => {
  const bench = await openHosts(t, { limits: { hosts: 1 } });
  const [first, second] = ["a", "b"].map((name) => bench.file(`${name}.js`, `// ${name}\n${counted}`));
  const begun = Promise.withResolvers<void>();
  const waiting = bench.call(first!, { deed: "wait" }, { progress: () => begun.resolve() });
  await begun.promise;
  const next = bench.call(second!);
  await bench.call(first!, { deed: "go" });
  assert.deepEqual((await waiting).result, { ok: true, output: "waited" });
  assert.deepEqual((await next).result, { ok: true, output: "done" });
});

test("a Python tool is created and closed in pairs too [C4]", laneOf("counted.py"), async (t) => {
  const bench = await openHosts(t);
  const file = bench.file(
    "counted.py",
    `TOOL_SPEC = {"name": "counted", "description": "A tool.", "input_schema": {"type": "object"}}
class Counted:
    def __init__(self, workdir):
        self.workdir = workdir
        self.note("create")
    def note(self, text):
        with open(self.workdir + "/notes", "a") as file:
            file.write(text + "\\n")
    def run(self, input_data, context):
        self.note("run")
    async def close(self):
        self.note("close")
async def create(context):
    return Counted(context.workdir)
`,
  );
  await Promise.all([bench.call(file), bench.call(file)]);
  await bench.hosts.retire(file);
  assert.deepEqual(notes(bench), ["create", "run", "run", "close"]);
});

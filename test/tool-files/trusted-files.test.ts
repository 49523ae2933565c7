import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, rename, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { RuntimeConfig } from "../../src/runtime/create-runtime.ts";
import { createTrust } from "../../src/permissions/trust/open-trust.ts";
import { openToolBench, say, saying } from "./support.ts";

test("tool files that a folder brings along are not run before the person trusts them, and one sentence says so [G8]", async (t) => {
  const bench = await openToolBench(t);
  const marking = `import { writeFileSync } from "node:fs";\nwriteFileSync("ran.txt", "");\n${saying("said")}`;
  await bench.save("say.ts", marking);
  const runtime = await bench.open({ settings: {} });
  assert.match(await say(runtime), /Unknown tool/);
  assert.equal(existsSync(join(bench.home, "ran.txt")), false);
  assert.deepEqual(runtime.warnings, [
    "tools has 1 tool file that you have not trusted: look at it, then run `deckhand trust`.",
  ]);
  bench.trust();
  // Without a restart: what waits for a person is looked at again.
  assert.equal(await say(runtime), "said");
});

test("trust in one file does not let in the others of its folder; trust in all lets in what the person adds [G8, C11]", async (t) => {
  const bench = await openToolBench(t);
  await bench.save("mine.ts", saying("mine", { name: "mine" }));
  await bench.save("strange.ts", saying("strange", { name: "strange" }));
  createTrust(bench.home, bench.env).grant("kim", { files: ["tools/mine.ts"], quarantined: [] });
  const runtime = await bench.open();
  assert.equal(await say(runtime, "mine"), "mine");
  assert.match(await say(runtime, "strange"), /Unknown tool/);
  await bench.save("mine.ts", saying("edited", { name: "mine" }));
  assert.equal(await say(runtime, "mine"), "edited");
  await bench.save("later.ts", saying("later", { name: "later" }));
  assert.match(await say(runtime, "later"), /Unknown tool/);
  bench.trust();
  await bench.save("latest.ts", saying("latest", { name: "latest" }));
  assert.equal(await say(runtime, "latest"), "latest");
  assert.ok(
    createTrust(bench.home, bench.env)
      .files()
      .every(({ status }) => status === "trusted"),
  );
});

/** In a sandbox no command can write to the folder of tool files. */
const unsandboxed: RuntimeConfig = { settings: { sandbox: "off", permissions: { allow: ["*"] } } };

test("a tool file that changes while an agent's call runs stays out until a person approves the change [C11]", async (t) => {
  const bench = await openToolBench(t, { "say.ts": saying("person") });
  const runtime = await bench.open(unsandboxed);
  assert.equal(await say(runtime), "person");
  const command = `cat > tools/say.ts <<'EOF'\n${saying("agent")}EOF`;
  const written = await runtime.call("bash", { command }, { door: "agent" });
  assert.equal(written.state, "completed", written.error ?? "");
  // The version of before goes on working, for everybody.
  assert.equal(await say(runtime), "person");
  assert.equal((await runtime.call("say", {}, { door: "agent" })).result?.output, "person");
  const [status] = runtime.customTools().files;
  assert.equal(status?.state, "quarantined");
  await runtime.close();
  const later = await bench.open(unsandboxed);
  assert.equal(await say(later), "person");
  const [waiting] = createTrust(bench.home, bench.env).quarantined();
  assert.equal(waiting?.path, "tools/say.ts");
  assert.equal(waiting.executionId, written.id);
  assert.match(waiting.diff, /\+export const run = \(\) => \(\{ ok: true, output: "agent" \}\)/);
  bench.trust();
  // Approved is not proven: what an agent made is tried first, in whatever mode.
  await say(later);
  const rollouts = await later.rollouts();
  assert.equal((await rollouts.list("say"))[0]?.status, "running");
  await rollouts.promote("say", { to: "all" });
  assert.equal(await say(later), "agent");
});

test("what a tool imports is under quarantine as well [C11]", async (t) => {
  const bench = await openToolBench(t);
  await mkdir(join(bench.folder, "words"));
  await writeFile(join(bench.folder, "words", "word.ts"), 'export const word = "person";\n');
  await bench.save("say.ts", `import { word } from "./words/word.ts";\n${saying("x").replace('"x"', "word")}`);
  bench.trust();
  const runtime = await bench.open(unsandboxed);
  assert.equal(await say(runtime), "person");
  const command = `echo 'export const word = "agent";' > tools/words/word.ts`;
  await runtime.call("bash", { command }, { door: "agent" });
  assert.equal(await say(runtime), "person");
  await runtime.close();
  // A new process of the version before must not read what the agent wrote.
  assert.equal(await say(await bench.open(unsandboxed)), "person");
});

test("a person's own order is live at once [C11]", async (t) => {
  const bench = await openToolBench(t, { "say.ts": saying("before") });
  const runtime = await bench.open(unsandboxed);
  const command = `cat > tools/say.ts <<'EOF'\n${saying("after")}EOF`;
  await runtime.call("bash", { command }, { door: "cli" });
  assert.equal(await say(runtime), "after");
});

test("strict mode without an OS sandbox uses no tool file [G2]", async (t) => {
  const bench = await openToolBench(t, { "say.ts": saying("said") });
  const settings = { sandbox: "off", permissions: { strict_workdir_only: true } } as const;
  const runtime = await bench.open({ settings });
  assert.match(await say(runtime), /Unknown tool/);
  assert.deepEqual(runtime.warnings, [
    "No tool file of tools is used: In strict mode tool files need an OS sandbox, and this machine has none.",
  ]);
});

test("a tools folder that is a link out of the workdir is refused [G1]", async (t) => {
  const bench = await openToolBench(t, { "say.ts": saying("said") });
  await rename(bench.folder, `${bench.home}-elsewhere`);
  await symlink(`${bench.home}-elsewhere`, bench.folder);
  const runtime = await bench.open();
  assert.match(await say(runtime), /Unknown tool/);
});

test("tools.folder and CUSTOM_TOOL_DIR name another folder; one outside the workdir is the person's own [C2]", async (t) => {
  const bench = await openToolBench(t);
  const own = `${bench.home}-own`;
  await mkdir(own);
  await writeFile(join(own, "say.ts"), saying("own"));
  const runtime = await bench.open({ env: { ...bench.env, CUSTOM_TOOL_DIR: own } });
  assert.equal(await say(runtime), "own");
  await mkdir(join(bench.home, "more"));
  await writeFile(join(bench.home, "more", "say.ts"), saying("more"));
  const other = await bench.open({ settings: { tools: { folder: "more" } } });
  assert.match(await say(other), /Unknown tool/);
  await writeFile(join(bench.home, "deckhand.json"), '{"tools": {"folder": "more"}}');
  bench.trust();
  assert.equal(await say(await bench.open()), "more");
});

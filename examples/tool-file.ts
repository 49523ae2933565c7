// A tool that is a file: use it, edit it while the runtime lives, break it. Needs `npm run build` once; then: node examples/tool-file.ts
import assert from "node:assert/strict";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRuntime } from "deckhand";

const place = await mkdtemp(join(tmpdir(), "deckhand-example-"));
const folder = join(place, "tools");
const file = join(folder, "echo_tool.ts");
await cp(join(import.meta.dirname, "tools"), folder, { recursive: true });

// Tool files of a workdir need its person's trust (`deckhand trust`); a folder that you name yourself, and that lies elsewhere, has it.
const workdir = join(place, "work");
await mkdir(workdir);
const runtime = await createRuntime({ workdir, settings: { tools: { folder }, store: { kind: "memory" } } });

async function echo(input: unknown): Promise<string> {
  const { state, result, error, version } = await runtime.call("echo_tool", input);
  const said = state === "completed" ? (result?.output ?? "") : `${state}: ${error}`;
  console.log(`${version}: ${said}`);
  return said;
}

try {
  assert.equal(await echo({ text: "Ahoy" }), "Ahoy");
  assert.equal(await echo({ text: "Ahoy", mode: "upper" }), "AHOY");
  assert.equal(await echo({ text: "Ahoy", mode: "reverse" }), "yohA");
  assert.match(await echo({ text: "Ahoy", mode: "loud" }), /^failed: Wrong parameters: mode: expected one of "plain"/);

  const source = await readFile(file, "utf8");
  await writeFile(file, source.replace("plain: (given) => given", "plain: (given) => `${given}!`"));
  assert.equal(await echo({ text: "Ahoy" }), "Ahoy!", "the next call takes what was saved");

  await writeFile(file, "export const TOOL_SPEC = {");
  assert.equal(await echo({ text: "Ahoy" }), "Ahoy!", "the version that worked last goes on working");
  const [status] = runtime.customTools().files;
  console.log(`line ${status?.problem?.line}: ${status?.problem?.message}`);
  assert.deepEqual([status?.state, status?.isCurrent], ["broken", false]);
} finally {
  await runtime.close();
  await rm(place, { recursive: true });
}

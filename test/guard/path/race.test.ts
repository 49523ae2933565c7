import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import type { Tool, ToolResult } from "../../../src/core/tool.ts";
import { editTool } from "../../../src/tools/files/edit.ts";
import { globTool } from "../../../src/tools/search/glob.ts";
import { listFilesTool } from "../../../src/tools/search/list-files.ts";
import { readTool } from "../../../src/tools/files/read.ts";
import { writeTool } from "../../../src/tools/files/write.ts";
import { count } from "../../support/counts.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { openBench, withRg } from "../../tools/grep-bench.ts";
import { contextIn, makeFiles, runTool } from "../../tools/run-tool.ts";

const secret = "OUTSIDE-SECRET";
const outsideFiles = {
  "file.txt": `needle ${secret}\n`,
  "edit.txt": `needle 0 ${secret}\n`,
  [`${secret}.txt`]: "needle\n",
};

/** A workdir whose folder `dir` is, every other moment, a link to a folder outside. */
async function openSwappedWorld(t: TestContext, workdir: string, outside: string): Promise<() => Promise<void>> {
  await makeFiles(outside, outsideFiles);
  await makeFiles(workdir, { "dir/file.txt": "needle inside\n", "dir/edit.txt": "needle 0 inside\n" });
  await symlink(outside, join(workdir, ".link"));
  const fixture = join(import.meta.dirname, "../../fixtures/safety/swaps-folder.ts");
  const swapper = spawn(process.execPath, [fixture, workdir], { stdio: ["ignore", "pipe", "inherit"] });
  const gone = once(swapper, "exit");
  t.after(() => swapper.kill("SIGKILL"));
  await once(swapper.stdout, "data");
  return async () => {
    assert.equal(swapper.exitCode, null, "the swapping ended too early");
    swapper.kill("SIGKILL");
    await gone;
  };
}

/** Calls until enough were made and some of them succeeded; says how many of them did. */
async function callMany(calls: number, call: (index: number) => Promise<ToolResult>): Promise<number> {
  let succeeded = 0;
  const deadline = performance.now() + 60_000;
  for (let index = 0; index < calls || (succeeded === 0 && performance.now() < deadline); index++) {
    const result = await call(index);
    if (result.ok) succeeded++;
    assert(!JSON.stringify(result).includes(secret), `leaked: ${JSON.stringify(result)}`);
  }
  return succeeded;
}

async function assertUntouched(outside: string): Promise<void> {
  assert.deepEqual((await readdir(outside)).toSorted(), Object.keys(outsideFiles).toSorted());
  for (const [name, content] of Object.entries(outsideFiles)) {
    assert.equal(await readFile(join(outside, name), "utf8"), content);
  }
}

const tools: readonly [Tool, (index: number) => object][] = [
  [readTool, () => ({ file_path: "dir/file.txt" })],
  [writeTool, (index) => ({ file_path: `dir/new-${index % 7}/${index}.txt`, content: "x" })],
  [writeTool, () => ({ file_path: "dir/file.txt", content: "needle inside\n" })],
  [editTool, () => ({ file_path: "dir/edit.txt", old_string: "needle 0", new_string: "needle 00" })],
  [listFilesTool, () => ({ path: "dir", depth: 3 })],
  [listFilesTool, () => ({ depth: 2 })],
  [globTool, () => ({ pattern: "**/*.txt" })],
  [globTool, () => ({ pattern: "*.txt", path: "dir" })],
];

for (const [tool, input] of tools) {
  const name = `${tool.name} ${JSON.stringify(input(0))}`;
  test(`a folder that is swapped for a link lets nothing in or out: ${name} [G1]`, async (t) => {
    const top = await temporaryFolder(t);
    const [workdir, outside] = [join(top, "work"), join(top, "outside")];
    const stop = await openSwappedWorld(t, workdir, outside);
    const calls = count({ quick: 80, full: 2000 });
    const succeeded = await callMany(calls, (index) => runTool(tool, input(index), contextIn(workdir)));
    await stop();
    assert(succeeded > 0, "no call ever got through");
    await assertUntouched(outside);
  });
}

for (const output_mode of ["content", "files", "count"] as const) {
  test(`a folder that is swapped for a link shows nothing to grep, ${output_mode} [G1]`, withRg, async (t) => {
    const { tool, folder } = await openBench(t);
    const stop = await openSwappedWorld(t, folder, join(folder, "../outside"));
    const calls = count({ quick: 15, full: 300 });
    const grep = (pattern: string): Promise<ToolResult> => runTool(tool, { pattern, output_mode }, contextIn(folder));
    // Patterns that fit outside, spelled so that their echo is no leak.
    const succeeded = await callMany(calls, () => grep("OUTSIDE.SECRET|inside"));
    assert(succeeded > 0, "no call ever got through");
    for (let call = 0; call < calls; call++) {
      const found = await grep("OUTSIDE.SECRET");
      assert(!found.ok || found.output.startsWith("No matches"), JSON.stringify(found));
    }
    await stop();
  });
}

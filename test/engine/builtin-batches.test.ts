import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Execution, ToolCall } from "../../src/core/call.ts";
import { editTool } from "../../src/tools/files/edit.ts";
import { globTool } from "../../src/tools/search/glob.ts";
import { listFilesTool } from "../../src/tools/search/list-files.ts";
import { readTool } from "../../src/tools/files/read.ts";
import { writeTool } from "../../src/tools/files/write.ts";
import { count } from "../support/counts.ts";
import { setUpEngine } from "../support/engine.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { createFileWorld, worldNames, type FileWorld } from "./file-world.ts";

const path = fc.array(fc.constantFrom(...worldNames), { minLength: 1, maxLength: 3 }).map((names) => names.join("/"));
const file = fc.oneof(path, fc.constantFrom("a", "b", "d/a", "ld/a", "new/a", "new/b"));
const text = fc.constantFrom("a", "b", "a\nb\n", "d/a");

const call: fc.Arbitrary<ToolCall> = fc.oneof(
  fc.record({ tool: fc.constant("read"), input: fc.record({ file_path: file }) }),
  fc.record({ tool: fc.constant("write"), input: fc.record({ file_path: file, content: text }) }),
  fc.record({
    tool: fc.constant("edit"),
    input: fc.record({ file_path: file, old_string: text, new_string: text }),
  }),
  fc.record({ tool: fc.constant("list_files"), input: fc.record({ path }) }),
  fc.record({ tool: fc.constant("glob"), input: fc.record({ pattern: fc.constantFrom("**/*", "*", "**/a"), path }) }),
);

test("batches of the built-in file tools leave the same files and results as one by one [P3 P5]", async (t) => {
  const world = createFileWorld(await temporaryFolder(t));
  await fc.assert(
    fc.asyncProperty(fc.array(call, { minLength: 2, maxLength: 10 }), async (calls) => {
      assert.deepEqual(await runTogether(world, calls), await runOneByOne(world, calls));
    }),
    { numRuns: count({ quick: 40, full: 3000 }) },
  );
});

function setUp(world: FileWorld) {
  world.reset();
  return setUpEngine({
    tools: [readTool, writeTool, editTool, listFilesTool, globTool],
    workdir: world.workdir,
    limits: { maxParallel: 12 },
  });
}

async function runOneByOne(world: FileWorld, calls: readonly ToolCall[]): Promise<unknown> {
  const { engine } = setUp(world);
  const executions: Execution[] = [];
  for (const each of calls) executions.push(await engine.call(each));
  return { results: executions.map(essence), files: world.snapshot() };
}

async function runTogether(world: FileWorld, calls: readonly ToolCall[]): Promise<unknown> {
  const { engine } = setUp(world);
  const batch = engine.openBatch({});
  for (const each of calls) batch.add(each);
  return { results: (await batch.end()).map(essence), files: world.snapshot() };
}

/**
 * Without the hint, which names what happens to be in the folder, and with lines sorted: glob shows the newest file
 * first, and which of two files that nobody orders is newer is nobody's promise.
 */
function essence({ state, result, error, errorType }: Execution): unknown {
  return { state, lines: result?.output?.split("\n").toSorted(), error, errorType };
}

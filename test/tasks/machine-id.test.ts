import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { test } from "node:test";
import { readMachineId } from "../../src/tasks/manager/machine-id.ts";
import { temporaryFolder } from "../support/temporary.ts";

test("a machine keeps its name, and all that begin at once get the same [T6]", async (t) => {
  const folder = await temporaryFolder(t);
  const names = await Promise.all(Array.from({ length: 4 }, () => readMachineId(`${folder}/tasks`)));
  assert.deepEqual(new Set([...names, await readMachineId(`${folder}/tasks`)]).size, 1);
  assert.match(names[0]!, /^[\w.-]+-[0-9a-f]{8}$/);
  assert.notEqual(await readMachineId(`${folder}/others`), names[0]);
});

test("a name that was damaged says so [T6]", async (t) => {
  const folder = await temporaryFolder(t);
  writeFileSync(`${folder}/machine-id`, "a b\n");
  await assert.rejects(readMachineId(folder), {
    code: "CONFIG_INVALID",
    message: /^The name of a machine has 1 to 100 letters.*machine-id has "a b"\.$/,
  });
});

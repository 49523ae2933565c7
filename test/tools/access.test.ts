import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmod, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { ToolResult } from "../../src/core/tool.ts";
import { temporaryFolder } from "../support/temporary.ts";

/** Runs the calls in a process without root's rights. */
function asOrdinaryUser(workdir: string, calls: readonly { tool: string; input: object }[]): ToolResult[] {
  const fixture = join(import.meta.dirname, "../fixtures/tools/as-ordinary-user.ts");
  const output = execFileSync(process.execPath, [fixture, JSON.stringify(calls), workdir], { encoding: "utf8" });
  return JSON.parse(output) as ToolResult[];
}

test("what the system does not permit is an access failure in one sentence, and nothing changes [E6]", async (t) => {
  const folder = await temporaryFolder(t);
  await chmod(folder, 0o755);
  await mkdir(join(folder, "closed"));
  await mkdir(join(folder, "fixed"));
  await writeFile(join(folder, "secret.txt"), "secret");
  await writeFile(join(folder, "protected.txt"), "protected");
  await writeFile(join(folder, "closed/a.txt"), "x");
  await writeFile(join(folder, "fixed/a.txt"), "x");
  await chmod(join(folder, "secret.txt"), 0o000);
  await chmod(join(folder, "protected.txt"), 0o444);
  await chmod(join(folder, "fixed/a.txt"), 0o666);
  await chmod(join(folder, "fixed"), 0o555);
  await chmod(join(folder, "closed"), 0o000);
  const calls = [
    { tool: "read", input: { file_path: "secret.txt" } },
    { tool: "read", input: { file_path: "closed/a.txt" } },
    { tool: "write", input: { file_path: "protected.txt", content: "new" } },
    { tool: "write", input: { file_path: "fixed/new.txt", content: "new" } },
    { tool: "write", input: { file_path: "fixed/a.txt", content: "new" } },
    { tool: "write", input: { file_path: "closed/sub/new.txt", content: "new" } },
    { tool: "edit", input: { file_path: "protected.txt", old_string: "pro", new_string: "con" } },
    { tool: "list_files", input: { path: "closed" } },
    { tool: "glob", input: { path: "closed", pattern: "*" } },
  ];
  const results = asOrdinaryUser(folder, calls);
  // What belongs to us must be removable again.
  for (const name of ["closed", "fixed"]) await chmod(join(folder, name), 0o755);
  for (const [index, result] of results.entries()) {
    assert(!result.ok, JSON.stringify(calls[index]));
    assert.equal(result.errorType, "access", JSON.stringify([calls[index], result]));
    assert.match(result.error, /^\S+ can't be used: the operating system refused access\.$/);
  }
  assert.equal(await readFile(join(folder, "protected.txt"), "utf8"), "protected");
  assert.deepEqual(await readdir(join(folder, "fixed")), ["a.txt"]);
});

test("what can't be read is counted, and the rest is listed, found and searched", async (t) => {
  const folder = await temporaryFolder(t);
  await chmod(folder, 0o755);
  await mkdir(join(folder, "closed"));
  await writeFile(join(folder, "open.txt"), "x");
  await chmod(join(folder, "closed"), 0o000);
  await writeFile(join(folder, "secret.txt"), "x");
  await chmod(join(folder, "secret.txt"), 0o000);
  const [listed, found, searched] = asOrdinaryUser(folder, [
    { tool: "list_files", input: {} },
    { tool: "glob", input: { pattern: "**" } },
    { tool: "grep", input: { pattern: "x" } },
  ]);
  await chmod(join(folder, "closed"), 0o755);
  assert(listed?.ok && found?.ok && searched?.ok);
  assert.equal(listed.output, "closed/\nopen.txt  1 B\nsecret.txt  1 B\n[1 folder could not be read.]");
  assert.deepEqual(found.output.split("\n").toSorted(), ["[1 folder could not be read.]", "open.txt", "secret.txt"]);
  assert.equal(searched.output, "open.txt\n1:x\n[2 paths could not be read.]");
});

import assert from "node:assert/strict";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { locate } from "../../src/tools/files/locate-file.ts";
import { temporaryFolder } from "../support/temporary.ts";

async function makeWorld(t: { after(hook: () => Promise<void>): void }): Promise<string> {
  const folder = await temporaryFolder(t);
  await mkdir(join(folder, "work/inner"), { recursive: true });
  await mkdir(join(folder, "workshop"));
  await writeFile(join(folder, "work/file.txt"), "x");
  await writeFile(join(folder, "workshop/secret.txt"), "x");
  await symlink(join(folder, "work"), join(folder, "door"));
  await symlink("inner", join(folder, "work/inward"));
  await symlink("../workshop", join(folder, "work/outward"));
  await symlink("../workshop/not-there", join(folder, "work/dangling-out"));
  await symlink("inner/not-there", join(folder, "work/dangling-in"));
  await symlink("ring-b", join(folder, "work/ring-a"));
  await symlink("ring-a", join(folder, "work/ring-b"));
  return folder;
}

test("a path inside the workdir is found with its links followed and shown relative to it [C1]", async (t) => {
  const folder = await makeWorld(t);
  const work = join(folder, "work");
  const cases: [given: string, path: string, shown: string][] = [
    ["file.txt", "work/file.txt", "file.txt"],
    ["./file.txt", "work/file.txt", "file.txt"],
    ["inner/../file.txt", "work/file.txt", "file.txt"],
    [join(work, "file.txt"), "work/file.txt", "file.txt"],
    [".", "work", "."],
    ["new/deep/file", "work/new/deep/file", "new/deep/file"],
    ["inward/a", "work/inner/a", "inward/a"],
    ["dangling-in", "work/inner/not-there", "dangling-in"],
    ["..hidden", "work/..hidden", "..hidden"],
    ["-rf", "work/-rf", "-rf"],
    ["~/x", "work/~/x", "~/x"],
    ["%2e%2e/x", "work/%2e%2e/x", "%2e%2e/x"],
    [" spaced ", "work/ spaced ", " spaced "],
  ];
  for (const [given, path, shown] of cases) {
    assert.deepEqual(
      await locate(given, { workdir: work }),
      { ok: true, path: join(folder, path), shown, root: work },
      given,
    );
  }
});

test("what lies outside the workdir is refused, by whatever way it is named [G1]", async (t) => {
  const folder = await makeWorld(t);
  const outside = [
    "..",
    "../workshop/secret.txt",
    "../workshop/not-there",
    "inner/../../workshop/secret.txt",
    join(folder, "workshop/secret.txt"),
    "/etc/passwd",
    "/",
    "outward/secret.txt",
    "outward/new.txt",
    "outward",
    "dangling-out",
    "inward/../../workshop/secret.txt",
    "../workshop/secret.txt/below-a-file",
  ];
  for (const given of outside) {
    const located = await locate(given, { workdir: join(folder, "work") });
    assert(!located.ok, given);
    assert.equal(located.errorType, "access", given);
    assert.equal(located.error, `${given} is outside the workdir.`);
  }
});

test("a workdir that is itself a link works, by either of its names", async (t) => {
  const folder = await makeWorld(t);
  for (const given of ["file.txt", join(folder, "door/file.txt"), join(folder, "work/file.txt")]) {
    const located = await locate(given, { workdir: join(folder, "door") });
    assert(located.ok, given);
    assert.deepEqual([located.path, located.shown], [join(folder, "work/file.txt"), "file.txt"]);
  }
});

test("a path that can't be one is refused with its reason [E6]", async (t) => {
  const folder = await makeWorld(t);
  const cases: [given: string, errorType: string, says: RegExp][] = [
    ["", "invalid_input", /empty/],
    ["a\0b", "invalid_input", /NUL/],
    ["a/".repeat(3000), "invalid_input", /longer than 4,095 bytes/],
    ["x".repeat(256), "invalid_input", /longer than 255 bytes/],
    ["é".repeat(128), "invalid_input", /longer than 255 bytes/],
    ["\ud800", "invalid_input", /surrogate/],
    ["ring-a", "io", /circle/],
    ["ring-a/x", "io", /circle/],
    ["file.txt/x", "not_directory", /is a file/],
  ];
  for (const [given, errorType, says] of cases) {
    const located = await locate(given, { workdir: join(folder, "work") });
    assert(!located.ok, given);
    assert.equal(located.errorType, errorType, given);
    assert.match(located.error, says);
    assert(located.hint !== undefined);
  }
});

test("a workdir that is gone is named in the failure", async (t) => {
  const folder = await temporaryFolder(t);
  const located = await locate("x", { workdir: join(folder, "gone") });
  assert(!located.ok);
  assert.match(located.error, /^The workdir .*gone does not exist\.$/);
});

import assert from "node:assert/strict";
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { type Holding, openRegular } from "../../../src/guard/path/open-folder.ts";
import { openPathGuard, type PathGuard } from "../../../src/guard/path/open-path-guard.ts";
import { temporaryFolder } from "../../support/temporary.ts";

const holdings: readonly Holding[] = process.platform === "linux" ? ["descriptors", "names"] : ["names"];

async function openWorld(
  t: TestContext,
  holding: Holding,
): Promise<{ work: string; outside: string; guard: PathGuard }> {
  const top = await temporaryFolder(t);
  const [work, outside] = [join(top, "work"), join(top, "outside")];
  mkdirSync(join(work, "dir/inner"), { recursive: true });
  mkdirSync(join(outside, "folder"), { recursive: true });
  writeFileSync(join(work, "file.txt"), "inside");
  writeFileSync(join(work, "dir/inner/deep.txt"), "inside");
  writeFileSync(join(outside, "file.txt"), "outside");
  writeFileSync(join(outside, "folder/file.txt"), "outside");
  chmodSync(join(outside, "file.txt"), 0o640);
  symlinkSync(outside, join(work, "dir/door"));
  symlinkSync("../outside/file.txt", join(work, "link"));
  const guard = openPathGuard({ root: work, holding });
  t.after(() => guard.close());
  return { work, outside, guard };
}

function assertUntouched(outside: string): void {
  assert.deepEqual(readdirSync(outside).toSorted(), ["file.txt", "folder"]);
  assert.deepEqual(readdirSync(join(outside, "folder")), ["file.txt"]);
  assert.equal(lstatSync(join(outside, "file.txt")).mode & 0o777, 0o640);
}

for (const holding of holdings) {
  test(`removing takes the name and what is below it, never what a link leads to, by ${holding} [G1]`, async (t) => {
    const { work, outside, guard } = await openWorld(t, holding);
    guard.remove("link");
    guard.remove("dir");
    assert.deepEqual(readdirSync(work), ["file.txt"]);
    assertUntouched(outside);
    for (const path of [".", work, "..", "../outside/file.txt", "missing"]) {
      assert.throws(() => guard.remove(path), path);
    }
    symlinkSync(outside, join(work, "door"));
    assert.throws(() => guard.remove("door/file.txt"), { code: "EACCES" });
    assertUntouched(outside);
  });

  test(`moving stays inside and moves links themselves, by ${holding} [G1]`, async (t) => {
    const { work, outside, guard } = await openWorld(t, holding);
    guard.move("file.txt", "dir/inner/moved.txt");
    guard.move("link", "link-too");
    assert(lstatSync(join(work, "link-too")).isSymbolicLink());
    assert(existsSync(join(work, "dir/inner/moved.txt")));
    for (const [from, to] of [
      ["dir/inner/moved.txt", "../outside/new.txt"],
      ["dir/inner/moved.txt", "dir/door/new.txt"],
      ["dir/door/file.txt", "stolen.txt"],
      [".", "elsewhere"],
      ["dir", "."],
      ["dir/inner/moved.txt", "missing/new.txt"],
    ] as const) {
      assert.throws(() => guard.move(from, to), `${from} -> ${to}`);
    }
    assertUntouched(outside);
  });

  test(`changing modes never reaches a file with other names, set-id bits or the outside, by ${holding} [G1]`, async (t) => {
    const { work, outside, guard } = await openWorld(t, holding);
    guard.changeMode("file.txt", 0o600);
    guard.changeMode("dir", 0o700);
    assert.equal(lstatSync(join(work, "file.txt")).mode & 0o7777, 0o600);
    assert.equal(lstatSync(join(work, "dir")).mode & 0o7777, 0o700);
    linkSync(join(outside, "file.txt"), join(work, "hard"));
    for (const [path, mode] of [
      ["hard", 0o777],
      ["link", 0o777],
      ["dir/door/file.txt", 0o777],
      ["file.txt", 0o4755],
      ["file.txt", -1],
      ["file.txt", Number.NaN],
      [".", 0o777],
    ] as const) {
      assert.throws(() => guard.changeMode(path, mode), path);
    }
    assertUntouched(outside);
  });

  test(`folders are made inside, and not through a link, by ${holding} [G1]`, async (t) => {
    const { work, outside, guard } = await openWorld(t, holding);
    guard.makeFolder("new/and/deep");
    guard.makeFolder("new/and");
    assert(lstatSync(join(work, "new/and/deep")).isDirectory());
    for (const path of ["dir/door/new", "../outside/new", "link/new", "file.txt/new"]) {
      assert.throws(() => guard.makeFolder(path), path);
    }
    assertUntouched(outside);
  });

  test(`a place is not opened once a link or another folder stands there, by ${holding} [G1]`, async (t) => {
    const { work, outside, guard } = await openWorld(t, holding);
    const place = guard.find("file.txt");
    const deep = guard.find("dir/inner/deep.txt");
    assert(place.ok && deep.ok);
    guard.remove("file.txt");
    symlinkSync(join(outside, "file.txt"), join(work, "file.txt"));
    await assert.rejects(openRegular(place), { code: "ELOOP" });
    guard.move("dir/inner", "dir/away");
    symlinkSync(join(outside, "folder"), join(work, "dir/inner"));
    writeFileSync(join(outside, "folder/deep.txt"), "outside");
    const opened = await openRegular(deep);
    if (opened.ok) {
      assert.equal(await opened.handle.readFile("utf8"), "inside");
      await opened.handle.close();
    }
  });
}

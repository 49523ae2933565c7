import assert from "node:assert/strict";
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import type { Holding } from "../../../src/guard/path/open-folder.ts";
import { openPathGuard, type PathGuard } from "../../../src/guard/path/open-path-guard.ts";
import { temporaryFolder } from "../../support/temporary.ts";

const holdings: readonly Holding[] = process.platform === "linux" ? ["descriptors", "names"] : ["names"];

interface World {
  readonly top: string;
  readonly work: string;
  readonly guard: PathGuard;
}

async function openWorld(t: TestContext, holding: Holding, workdir = "work"): Promise<World> {
  const top = await temporaryFolder(t);
  const work = join(top, "work");
  mkdirSync(join(work, "a/b/c"), { recursive: true });
  mkdirSync(join(top, "work-evil"));
  writeFileSync(join(work, "a/b/c/file.txt"), "inside");
  writeFileSync(join(work, "top.txt"), "inside");
  writeFileSync(join(top, "work-evil/file.txt"), "outside");
  symlinkSync("work", join(top, "door"));
  const guard = openPathGuard({ root: join(top, workdir), holding });
  t.after(() => guard.close());
  return { top, work, guard };
}

/** Where a path leads, relative to the workdir, or the kind of refusal. */
function lead({ guard, work }: World, given: string): string {
  const place = guard.find(given);
  return place.ok ? place.path.slice(work.length + 1) || "." : place.kind;
}

for (const holding of holdings) {
  test(`links inside are followed wherever they stand, by ${holding} [G1]`, async (t) => {
    const world = await openWorld(t, holding);
    const link = (target: string, name: string): void => symlinkSync(target, join(world.work, name));
    link("a/b", "short");
    link(join(world.work, "a"), "absolute");
    link("a/b/../b/c/", "winding");
    link("../../a/b/c/file.txt", "a/b/back");
    link("short/c", "chain");
    link("../work/a", "out-and-in");
    link(join(world.top, "door/a"), "through-the-door");
    link("a/new/deep", "dangling");
    link(".", "itself");
    link("a/..", "root-again");
    const cases: [string, string][] = [
      ["short/c/file.txt", "a/b/c/file.txt"],
      ["absolute/b/c/file.txt", "a/b/c/file.txt"],
      ["winding/file.txt", "a/b/c/file.txt"],
      ["winding", "a/b/c"],
      ["a/b/back", "a/b/c/file.txt"],
      ["chain/file.txt", "a/b/c/file.txt"],
      ["out-and-in/b/new", "a/b/new"],
      ["through-the-door/b", "a/b"],
      ["dangling", "a/new/deep"],
      ["dangling/more", "a/new/deep/more"],
      ["itself/itself/top.txt", "top.txt"],
      ["root-again/top.txt", "top.txt"],
      ["root-again", "."],
      [join(world.top, "door/top.txt"), "top.txt"],
      ["../work/top.txt", "top.txt"],
      ["a/../top.txt", "top.txt"],
      ["missing/../top.txt", "top.txt"],
      ["", "invalid"],
    ];
    for (const [given, expected] of cases) assert.equal(lead(world, given), expected, given);
  });

  test(`what leads outside is refused, whether it exists or not, by ${holding} [G1]`, async (t) => {
    const world = await openWorld(t, holding);
    const link = (target: string, name: string): void => symlinkSync(target, join(world.work, name));
    link("..", "up");
    link("../work-evil", "evil");
    link("/", "slash");
    link("/proc/self/cwd", "cwd");
    link("../nothing", "dangling");
    link("evil/file.txt", "second");
    link("a/../../work-evil/file.txt", "winding");
    link(join(world.top, "work-evil/file.txt"), "absolute");
    const cases = [
      "up/work-evil/file.txt",
      "up",
      "evil",
      "evil/file.txt",
      "evil/new",
      "evil/../top.txt",
      "a/../evil/../top.txt",
      "slash/etc/passwd",
      "slash",
      "cwd/package.json",
      "dangling",
      "dangling/x",
      "second",
      "winding",
      "absolute",
      "..",
      "../work-evil/file.txt",
      join(world.top, "work-evil"),
      `${world.work}-evil/file.txt`,
      `${world.work}/../work-evil/file.txt`,
      `/proc/self/root${world.work}/top.txt`,
      `/proc/${process.pid}/cwd`,
      "/dev/fd/0",
      "/dev/stdin",
      "/",
    ];
    for (const given of cases) assert.equal(lead(world, given), "outside", given);
  });

  test(`a path that can't be walked throws the system's error, by ${holding}`, async (t) => {
    const world = await openWorld(t, holding);
    symlinkSync("ring-b", join(world.work, "ring-a"));
    symlinkSync("ring-a", join(world.work, "ring-b"));
    symlinkSync("loop/x", join(world.work, "loop"));
    const ups = Array.from({ length: 300 }, () => "a/..").join("/");
    symlinkSync(`${ups}/wide`, join(world.work, "wide"));
    for (const given of ["ring-a", "ring-a/x", "loop", "wide"]) {
      assert.throws(() => world.guard.find(given), { code: "ELOOP" }, given);
    }
    for (const given of ["top.txt/x", "top.txt/x/y"]) {
      assert.throws(() => world.guard.find(given), { code: "ENOTDIR" }, given);
    }
  });

  test(`a workdir that is a link is the folder it led to when it was opened, by ${holding}`, async (t) => {
    const world = await openWorld(t, holding, "door");
    assert.equal(world.guard.root, world.work);
    for (const given of [
      "a/b/c/file.txt",
      join(world.top, "door/a/b/c/file.txt"),
      join(world.work, "a/b/c/file.txt"),
    ]) {
      assert.equal(lead(world, given), "a/b/c/file.txt", given);
    }
    assert.equal(lead(world, "../work-evil/file.txt"), "outside");
  });
}

test(
  "a guard leaves no descriptor open, whatever it was asked for",
  { skip: process.platform !== "linux" },
  async (t) => {
    const world = await openWorld(t, "descriptors");
    symlinkSync("a/../a/b", join(world.work, "winding"));
    symlinkSync("../work-evil", join(world.work, "evil"));
    symlinkSync("ring", join(world.work, "ring"));
    const openNow = (): number => readdirSync("/proc/self/fd").length;
    const before = openNow();
    const deep = "d/".repeat(1000);
    for (let round = 0; round < 50; round++) {
      const guard = openPathGuard({ root: world.work });
      for (const given of [
        "a/b/c/file.txt",
        "winding/c/new",
        "evil/x",
        "top.txt/x",
        "ring",
        "no/way/here",
        `${deep}x`,
        "a/../evil/..",
      ]) {
        try {
          guard.find(given);
        } catch {
          // Only what is left open matters here.
        }
      }
      guard.close();
    }
    assert.equal(openNow(), before);
  },
);

test("the guard says what it can't promise [G10]", async (t) => {
  const { guard } = await openWorld(t, "names");
  assert.deepEqual(guard.promises, { races: "window" });
  if (process.platform === "linux") {
    const held = await openWorld(t, "descriptors");
    assert.deepEqual(held.guard.promises, { races: "none" });
  }
});

import assert from "node:assert/strict";
import { linkSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import fc from "fast-check";
import { createPathLocator } from "../../src/engine/locate-path.ts";
import { count } from "../support/counts.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { createFileWorld, worldNames } from "./file-world.ts";

async function setUp(t: TestContext): Promise<{ workdir: string; names: (path: string) => readonly string[] }> {
  const workdir = await temporaryFolder(t);
  mkdirSync(join(workdir, "d/e"), { recursive: true });
  writeFileSync(join(workdir, "d/e/f"), "");
  const links = {
    "to-d": "d",
    "to-e": "to-d/e",
    "to-f": "d/e/f",
    away: "missing/folder",
    self: "self",
    a1: "a2",
    a2: "a1",
  };
  for (const [path, target] of Object.entries(links)) symlinkSync(target, join(workdir, path));
  const locate = createPathLocator(workdir);
  return { workdir, names: (path) => locate(path).names.map((name) => name.replace(workdir, "")) };
}

test("a path without links has one name, whether it exists or not [P3]", async (t) => {
  const { names } = await setUp(t);
  for (const path of ["d/e/f", "./d//e/f", "new/file"]) {
    const tidy = path.startsWith("new") ? "/new/file" : "/d/e/f";
    assert.deepEqual([...new Set(names(path))], [tidy], path);
  }
  assert.deepEqual(names(""), [""]);
  assert.deepEqual(names("/"), ["/"]);
});

test("a folder that a path enters and leaves again counts, because the system wants it to be there [P3]", async (t) => {
  const { names } = await setUp(t);
  assert.deepEqual([...new Set(names("d/e/../e/f"))], ["/d/e/f", "/d/e"]);
  assert.deepEqual([...new Set(names("missing/../d/e/f"))], ["/d/e/f", "/missing"]);
});

test("a path through links has every name it is known by, the real one last [P3]", async (t) => {
  const { names } = await setUp(t);
  assert.deepEqual(names("to-d/e/f"), ["/to-d/e/f", "/d/e/f"]);
  assert.deepEqual(names("to-d/new/file"), ["/to-d/new/file", "/d/new/file"]);
  assert.deepEqual(names("to-e/f"), ["/to-e/f", "/to-d/e/f", "/d/e/f"]);
  assert.deepEqual(names("to-f"), ["/to-f", "/d/e/f"]);
  assert.deepEqual(names("away/x"), ["/away/x", "/missing/folder/x"]);
});

test("a `..` behind a link is taken both ways, as the system and as a tidy tool would [P3]", async (t) => {
  const { names } = await setUp(t);
  const found = names("to-e/../x");
  assert.ok(found.includes("/x") && found.includes("/d/x"), found.join(" "));
});

test("a link, and a file with several names, is shared; anything else is not [P3]", async (t) => {
  const { workdir } = await setUp(t);
  writeFileSync(join(workdir, "one"), "");
  linkSync(join(workdir, "one"), join(workdir, "two"));
  const locate = createPathLocator(workdir);
  for (const path of ["to-d", "to-f", "away", "self", "one", "two"]) assert.equal(locate(path).isShared, true, path);
  for (const path of ["d", "d/e/f", "to-d/e/f", "new", ""]) assert.equal(locate(path).isShared, false, path);
});

test("links that lead in circles, or grow, end soon and without a throw [P3]", async (t) => {
  const { workdir } = await setUp(t);
  symlinkSync("grow/x", join(workdir, "grow"));
  symlinkSync("wide/../wide/wide", join(workdir, "wide"));
  for (let at = 0; at < 60; at++) symlinkSync(`chain${at + 1}/chain${at + 1}`, join(workdir, `chain${at}`));
  const locate = createPathLocator(workdir);
  const began = performance.now();
  for (const path of ["self", "self/x", "a1", "a1/b/c", "grow", "grow/grow/grow", "wide/wide/wide", "chain0/chain0"]) {
    assert.ok(locate(path).names.length < 2000, path);
    assert.equal(locate(path).names[0], join(workdir, path));
  }
  assert.ok(performance.now() - began < 2000);
});

test("what can't be a path at all still gets a name [P3]", async (t) => {
  const { workdir } = await setUp(t);
  const locate = createPathLocator(workdir);
  for (const path of ["a\0b", "x".repeat(5000), "d/e/f/below-a-file", "\ud800", "/".repeat(300), "..".repeat(50)]) {
    assert.ok(locate(path).names.length > 0);
  }
});

test("a workdir that is itself reached by a link has the names of both ways [P3]", async (t) => {
  const { workdir } = await setUp(t);
  const locate = createPathLocator(join(workdir, "to-e"));
  assert.deepEqual(
    locate("f").names.map((name) => name.replace(workdir, "")),
    ["/to-e/f", "/to-d/e/f", "/d/e/f"],
  );
});

test("two paths to one existing file always share a name [P3]", async (t) => {
  const world = createFileWorld(await temporaryFolder(t));
  world.reset();
  const locate = createPathLocator(world.workdir);
  const path = fc.array(fc.constantFrom(...worldNames), { minLength: 1, maxLength: 4 }).map((names) => names.join("/"));
  fc.assert(
    fc.property(path, (given) => {
      const { names } = locate(given);
      for (const asked of [`${world.workdir}/${given}`, join(world.workdir, given)]) {
        const real = realPath(asked);
        if (real !== undefined) assert.ok(names.includes(real), `${given} is ${real}, not one of ${names.join(", ")}`);
      }
    }),
    { numRuns: count({ quick: 1000, full: 50_000 }) },
  );
});

function realPath(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined; // it leads nowhere
  }
}

import assert from "node:assert/strict";
import { mkdir, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { openTrust } from "../../src/permissions/trust/trust.ts";
import { temporaryFolder } from "../support/temporary.ts";

async function setUp(t: TestContext) {
  const folder = await temporaryFolder(t);
  const workdir = join(folder, "work");
  await mkdir(join(workdir, "tools"), { recursive: true });
  const path = join(folder, "state", "trust.json");
  const open = () => openTrust({ workdir, path, toolFolders: ["tools"], now: () => 0 });
  return { workdir, path, open };
}

test("nothing that a folder brings along is trusted until a person says so [G8]", async (t) => {
  const { workdir, path, open } = await setUp(t);
  await writeFile(join(workdir, "deckhand.json"), "{}");
  await writeFile(join(workdir, "tools", "echo.ts"), "export {}");
  await writeFile(join(workdir, "README.md"), "# hi");
  assert.deepEqual(open().files(), [
    { path: "deckhand.json", status: "new" },
    { path: "tools/echo.ts", status: "new" },
  ]);
  assert.equal(open().isTrusted("deckhand.json"), false);
  open().grant("kim");
  assert.deepEqual(
    open()
      .files()
      .map(({ status }) => status),
    ["trusted", "trusted"],
  );
  assert.equal((await stat(path)).mode & 0o777, 0o600);
});

test("trust is in a content: a file that changes is a stranger again [G8]", async (t) => {
  const { workdir, open } = await setUp(t);
  const file = join(workdir, "deckhand.json");
  await writeFile(file, "{}");
  open().grant("kim");
  await writeFile(file, '{"permissions":{"allow":["*"]}}');
  assert.deepEqual(open().files(), [{ path: "deckhand.json", status: "changed" }]);
  await writeFile(file, "{}");
  assert.equal(open().isTrusted("deckhand.json"), true);
});

test("only the named file is trusted, and all of it can be taken back [G8]", async (t) => {
  const { workdir, open } = await setUp(t);
  await writeFile(join(workdir, "deckhand.json"), "{}");
  await writeFile(join(workdir, "tools", "echo.ts"), "export {}");
  open().grant("kim", ["tools/echo.ts"]);
  assert.equal(open().isTrusted("tools/echo.ts"), true);
  assert.equal(open().isTrusted("deckhand.json"), false);
  assert.equal(open().revoke(), true);
  assert.equal(open().isTrusted("tools/echo.ts"), false);
  assert.equal(open().revoke(), false);
});

test("a link can't be trusted: it may lead elsewhere the next time [G8]", async (t) => {
  const { workdir, open } = await setUp(t);
  await writeFile(join(workdir, "other.json"), "{}");
  await symlink("other.json", join(workdir, "deckhand.json"));
  open().grant("kim");
  assert.equal(open().isTrusted("deckhand.json"), false);
});

test("a damaged record means that nothing is trusted [G8]", async (t) => {
  const { workdir, path, open } = await setUp(t);
  await writeFile(join(workdir, "deckhand.json"), "{}");
  open().grant("kim");
  await writeFile(path, '{"deckhand.json": true');
  assert.equal(open().isTrusted("deckhand.json"), false);
});

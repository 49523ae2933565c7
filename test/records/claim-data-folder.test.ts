import assert from "node:assert/strict";
import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { adoptDataFolder, claimDataFolder, findDataFolderProblem } from "../../src/records/claim-data-folder.ts";
import { locateFolders, type Folders } from "../../src/config/folders.ts";
import { isolatedEnvironment } from "../support/runtime.ts";
import { temporaryFolder } from "../support/temporary.ts";

/** Two workdirs of one person. */
async function openWorkdirs(t: { after(hook: () => Promise<void>): void }): Promise<[Folders, Folders]> {
  const home = await temporaryFolder(t);
  const [one, other] = ["one", "other"].map((name) => {
    mkdirSync(join(home, name));
    return locateFolders(join(home, name), isolatedEnvironment(home));
  }) as [Folders, Folders];
  claimDataFolder(one);
  writeFileSync(one.database, "records");
  return [one, other];
}

const refused = { code: "STORE_UNAVAILABLE", message: /was not made by you on this machine/ };

test("a data folder is claimed again and again, also after its workdir was moved [G8]", async (t) => {
  const [one] = await openWorkdirs(t);
  claimDataFolder(one);
  assert.equal(findDataFolderProblem(one), null);
  const moved = `${one.workdir}-moved`;
  renameSync(one.workdir, moved);
  const folders = { ...one, workdir: moved, data: join(moved, ".deckhand") };
  claimDataFolder(folders);
  assert.equal(findDataFolderProblem(folders), null);
});

test("a copy of one is refused, with every file of it, until a person takes it over [G8]", async (t) => {
  const [one, other] = await openWorkdirs(t);
  cpSync(one.data, other.data, { recursive: true, preserveTimestamps: true });
  assert.throws(() => claimDataFolder(other), refused);
  assert.match(findDataFolderProblem(other)!, refused.message);
  adoptDataFolder(other);
  claimDataFolder(other);
  assert.equal(findDataFolderProblem(other), null);
  assert.equal(findDataFolderProblem(one), null);
});

test("the mark tells nobody what it was made with [G8]", async (t) => {
  const [one] = await openWorkdirs(t);
  const secret = readFileSync(one.ownerId, "utf8").trim();
  assert.ok(!readFileSync(join(one.data, "owner"), "utf8").includes(secret));
  writeFileSync(join(one.data, "owner"), `${secret}\n`);
  assert.throws(() => claimDataFolder(one), refused);
});

test("taking one over writes nothing through a link in the place of the mark [G8]", async (t) => {
  const [one] = await openWorkdirs(t);
  const outside = join(one.workdir, "outside");
  writeFileSync(outside, "theirs");
  rmSync(join(one.data, "owner"));
  symlinkSync(outside, join(one.data, "owner"));
  assert.throws(() => claimDataFolder(one), refused);
  adoptDataFolder(one);
  claimDataFolder(one);
  assert.equal(readFileSync(outside, "utf8"), "theirs");
});

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { findGitSettings } from "../../../src/guard/path/protected-names.ts";
import { temporaryFolder } from "../../support/temporary.ts";

test("what git reads of further worktrees and of submodules is kept from commands, nested ones too [G1]", async (t) => {
  const folder = await temporaryFolder(t);
  assert.deepEqual(findGitSettings(folder), []);
  const files = [
    ".git/config.worktree",
    ".git/worktrees/side/commondir",
    ".git/worktrees/side/gitdir",
    ".git/modules/libs/one/HEAD",
    ".git/modules/libs/one/config",
    ".git/modules/libs/one/modules/two/HEAD",
    ".git/modules/libs/one/modules/two/config",
    ".git/modules/libs/one/modules/two/hooks/post-checkout",
  ];
  for (const file of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), "");
  }
  assert.deepEqual(
    findGitSettings(folder)
      .map((path) => path.slice(folder.length + 1))
      .sort(),
    [
      ".git/config.worktree",
      ".git/modules/libs/one/config",
      ".git/modules/libs/one/modules/two/config",
      ".git/modules/libs/one/modules/two/hooks",
      ".git/worktrees/side/commondir",
      ".git/worktrees/side/gitdir",
    ],
  );
});

import assert from "node:assert/strict";
import { appendFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { openGrants, type Grant } from "../../src/gate/grants.ts";
import { temporaryFolder } from "../support/temporary.ts";

const always: Grant = { rule: "bash(npm test)", scope: "always", conversationId: null, who: "kim", at: 0 };
const here: Grant = { rule: "edit(a.ts)", scope: "conversation", conversationId: "ses_1", who: "kim", at: 1 };

test("a grant is kept with who and when, and other processes see it at once [G8]", async (t) => {
  const path = join(await temporaryFolder(t), "state", "grants.jsonl");
  const one = openGrants(path);
  const other = openGrants(path);
  assert.deepEqual(other.list(), []);
  one.add([always, here]);
  assert.deepEqual(other.list(), [always, here]);
  assert.deepEqual(other.of("ses_1"), [always, here]);
  assert.deepEqual(other.of("ses_2"), [always]);
  assert.deepEqual(other.of(null), [always]);
  assert.equal((await stat(path)).mode & 0o777, 0o600);
});

test("a line that can't be read grants nothing and takes nothing away [G8]", async (t) => {
  const path = join(await temporaryFolder(t), "grants.jsonl");
  const grants = openGrants(path);
  grants.add([always]);
  await appendFile(path, '{"rule": "bash"\nnull\n{"rule":"bash","scope":"forever"}\n');
  grants.add([here]);
  assert.deepEqual(grants.list(), [always, here]);
});

test("a grant can be taken back [G8]", async (t) => {
  const path = join(await temporaryFolder(t), "grants.jsonl");
  const grants = openGrants(path);
  grants.add([always, here]);
  assert.equal(
    grants.revoke(({ rule }) => rule === "bash(npm test)"),
    1,
  );
  assert.deepEqual(openGrants(path).list(), [here]);
  assert.equal(
    grants.revoke(() => false),
    0,
  );
});

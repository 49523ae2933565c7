import assert from "node:assert/strict";
import { appendFile, mkdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { openGrants, type Grant } from "../../src/permissions/grants.ts";
import { locateFolders } from "../../src/config/folders.ts";
import { isolatedEnvironment } from "../support/runtime.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { openGated } from "./support.ts";

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

test("what holds a secret is allowed once only, and no secret is in the file [D4 G8]", async (t) => {
  const home = await temporaryFolder(t);
  const token = `ghp_${"aB3dE5gH7jK9".repeat(3)}`;
  const known = "kn0wnZvalue77";
  const env = { ...isolatedEnvironment(home), MY_API_KEY: known };
  const { call, asked, runtime, workdir } = await openGated(
    t,
    {},
    {
      home,
      env,
      answer: (request) => ({ decision: "allow", scope: request.scopes.at(-1)!, who: `me ${token}` }),
    },
  );
  const events: string[] = [];
  runtime.on("*", (event) => events.push(JSON.stringify(event)));
  for (const command of [
    `touch ${known}`,
    `touch ${token}`,
    `PASSWORD=blue7horse9 touch a; touch blue7horse9`,
    `mkdir -p password=blue7horse9`,
  ]) {
    await call("bash", { command });
    assert.deepEqual([asked.at(-1)?.scopes, asked.at(-1)?.rules], [["once"], []], command);
  }
  await call("write", { file_path: `${token}.txt`, content: "x" });
  assert.deepEqual(asked.at(-1)?.scopes, ["once"]);
  await call("bash", { command: "touch plain" }, { conversationId: `ses_${token}` });
  assert.deepEqual([asked.at(-1)?.scopes, asked.at(-1)?.rules], [["once", "always"], ["bash(touch plain)"]]);
  const kept = await readFile(locateFolders(workdir, env).grants, "utf8");
  assert.match(kept, /"rule":"bash\(touch plain\)".*"who":"me \[MASKED:github:[0-9a-f]{6}\]"/);
  assert.doesNotMatch(kept, /aB3dE5gH7jK9|kn0wn|blue7/);
  assert.doesNotMatch(events.join("\n"), /aB3dE5gH7jK9|kn0wn/);
  const mine = await runtime.list({ conversationId: `ses_${token}` });
  assert.deepEqual(
    mine.map(({ toolInput, conversationId }) => [toolInput, conversationId?.startsWith("ses_[MASKED:github:")]),
    [[{ command: "touch plain" }, true]],
  );
});

test("code and orders to another agent can be allowed once only; an earlier grant for all of them holds no more [G8]", async (t) => {
  const home = await temporaryFolder(t);
  await mkdir(join(home, "work"));
  const { grants: path } = locateFolders(join(home, "work"), isolatedEnvironment(home));
  openGrants(path).add([
    { ...always, rule: "run_python" },
    { ...always, rule: "use_agent" },
  ]);
  const { call, asked } = await openGated(t, { permissions: { allow: ["bash(true)"] } }, { home });
  for (const [tool, input] of [
    ["run_python", { code: "print(1)" }],
    ["use_agent", { cli_name: "claude", message: "hello" }],
  ] as const) {
    const { state } = await call(tool, input);
    assert.equal(state, "cancelled", tool);
    assert.deepEqual([asked.at(-1)?.scopes, asked.at(-1)?.rules], [["once"], []], tool);
  }
  assert.deepEqual(openGrants(path).list(), []);
});

test("a grant or a rule for a command does not let it outlive the program, and the question says so [G8]", async (t) => {
  const answer = { decision: "allow", scope: "always", who: "kim" } as const;
  const first = await openGated(t, {}, { answer });
  const touch = { command: "touch x", background: true };
  await first.call("bash", { command: "touch x" });
  assert.deepEqual(first.asked[0]?.rules, ["bash(touch x)"]);
  await first.runtime.close();

  const settings = { permissions: { allow: ["bash(touch *)"] } };
  for (const second of [
    await openGated(t, {}, { home: join(first.workdir, "..") }),
    await openGated(t, settings, { home: join(first.workdir, "..") }),
  ]) {
    const { state } = await second.call("bash", { ...touch, keep_running: true });
    assert.deepEqual([state, second.asked[0]?.scopes], ["cancelled", ["once"]]);
    assert.match(
      second.asked[0]?.detail ?? "",
      /^touch x\n\(in the background; it keeps running when Deckhand ends\)$/,
    );
    await second.runtime.close();
  }
});

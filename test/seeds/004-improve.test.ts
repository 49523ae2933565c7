import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { before, test } from "node:test";
import { openToolCommand, type ToolCommand } from "./004-support.ts";
import { wholeFile, type Scope } from "./seed-support.ts";

// Source document 004, section 13.12: failures, patch, checks, rehearsal, canary, promotion or rollback.

/** Fails where no style is given. */
const initials = `export const TOOL_SPEC = {
  name: "initials",
  description: "The first letters of a name.",
  input_schema: {
    type: "object",
    properties: { name: { type: "string" }, style: { enum: ["upper", "lower"] } },
    required: ["name"],
  },
  traits: { read_only: true },
  cases: [{ name: "two words", input: { name: "Ada Lovelace", style: "upper" }, expect: "AL" }],
};

export function run({ name, style }) {
  const letters = name.split(" ").map((word) => word[0]).join("");
  return { ok: true, output: style.startsWith("u") ? letters.toUpperCase() : letters.toLowerCase() };
}
`;
const fixed = initials.replace("name, style })", 'name, style = "upper" })');

interface Improved {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

async function openBroken(scope: Scope): Promise<ToolCommand> {
  const settings = { permissions: { allow: ["*"] } };
  const command = await openToolCommand(scope, { "initials.js": initials }, { settings });
  const runtime = await command.library(scope, { settings: {} });
  await runtime.call("initials", { name: "ada lovelace", style: "upper" });
  for (const name of ["Grace Hopper", "Alan Turing", "Kurt"]) await runtime.call("initials", { name });
  await runtime.close();
  return command;
}

/** `deckhand improve initials`, with a model that proposes this. */
async function improve(command: ToolCommand, content: string, ...more: string[]): Promise<Improved> {
  const reply = `Upper case unless said otherwise.\n\n\`\`\`js\n${content}\`\`\`\n`;
  await command.put("script.json", JSON.stringify({ turns: [reply] }));
  return command.run(["improve", "initials", "--model", "script:script.json", "--attempts", "1", ...more]);
}

let command: ToolCommand;
let dry: Improved;
let started: Improved;

before(async () => {
  command = await openBroken(wholeFile);
  dry = await improve(command, fixed, "--dry-run");
  started = await improve(command, fixed, "--yes");
});

test("4-77 the failures on record are what the patch is for", () => {
  assert.equal(dry.code, 0, dry.stderr);
  assert.match(dry.stdout, /^failures +passed +3 of 3 recorded failures pass with it\.$/m);
});

test("4-78 the patch is a staged file; the one in tools/ is unchanged", async () => {
  const staged = await readdir(join(command.workdir, ".deckhand", "staging", "initials"));
  assert.match(staged[0]!, /^[0-9a-f]{64}\.js$/);
  assert.equal(await command.read("tools/initials.js"), initials);
});

test("4-79 static checks: what does not parse, and what reaches further than before, is refused with the reason", async () => {
  assert.match(dry.stdout, /^schema +passed /m);
  const broken = await improve(command, fixed.replace("export function run", "export function run ("), "--dry-run");
  assert.notEqual(broken.code, 0);
  const reaching = await improve(
    command,
    `import { execSync } from "node:child_process";\nexecSync("true");\n${fixed}`,
    "--dry-run",
  );
  assert.notEqual(reaching.code, 0);
  assert.match(reaching.stdout + reaching.stderr, /child_process/);
});

test("4-80 a rehearsal with fixed cases: a patch that gets one wrong is refused with what came instead", async () => {
  assert.match(dry.stdout, /^cases +passed /m);
  const wrong = await improve(command, fixed.replace("word[0]", "word[1]"), "--dry-run");
  assert.notEqual(wrong.code, 0);
  assert.match(wrong.stdout + wrong.stderr, /two words/);
});

test("4-81 what passed is tried on 10 % first", async () => {
  assert.equal(started.code, 0, started.stderr);
  const status = await command.json(["rollout", "status", "initials"]);
  assert.deepEqual([status.status, status.percent], ["running", 10]);
});

test("4-82 it goes on by stages, as any new version", async (t) => {
  const own = await openBroken(t);
  assert.equal((await improve(own, fixed, "--yes")).code, 0);
  const { stages } = await own.json(["rollout", "status", "initials"]);
  assert.deepEqual(stages, [10, 30, 60, 80, 100]);
  assert.equal((await own.run(["rollout", "promote", "initials"])).code, 0);
  assert.equal((await own.json(["rollout", "status", "initials"])).percent, 30);
  assert.equal((await own.run(["rollout", "promote", "initials", "--all"])).code, 0);
  assert.equal(await own.read("tools/initials.js"), fixed);
});

test("4-83 one that fails is taken back, with the cause on record", async (t) => {
  const own = await openBroken(t);
  const later = fixed.replace(
    "const letters",
    'if (name === "late") throw Object.assign(new Error("no"), { code: "EACCES" });\n  const letters',
  );
  assert.equal((await improve(own, later, "--yes")).code, 0);
  const runtime = await own.library(t, { settings: {} });
  const heard: string[] = [];
  runtime.on("rollout:changed", ({ change }) => void heard.push(change));
  for (let index = 0; index < 400 && !heard.includes("rolled_back"); index++) {
    await runtime.call("initials", { name: "late", style: "upper" }, { conversationId: `ses_${index}` });
  }
  const [last] = await own.json(["rollout", "history", "initials"]);
  assert.equal(last.type, "rolled_back");
  assert.match(last.reason, /fatal/);
});

import assert from "node:assert/strict";
import { mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import test from "node:test";
import type { TestContext } from "node:test";
import { createSkillGuard, createSkillTools, findSkills } from "../../../src/agent/skills/open-skills.ts";
import { createSkillBook, restoreSkill } from "../../../src/agent/skills/skill-book.ts";
import type { SessionEntry, SessionEntryBody } from "../../../src/core/session.ts";
import { createCatalog } from "../../../src/engine/catalog.ts";
import { looseTool, setUpEngine } from "../../support/engine.ts";
import { temporaryFolder } from "../../support/temporary.ts";

async function writeSkill(folder: string, head: string, body = "Do it well."): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "SKILL.md"), `---\n${head}\n---\n${body}\n`);
}

const plainTools = ["read", "grep", "bash", "ask_user"].map((name) =>
  looseTool({ name, traits: { readOnly: true }, run: () => Promise.resolve({ ok: true, output: `${name} ran` }) }),
);
const plainCatalog = createCatalog(plainTools);

async function setUp(t: TestContext) {
  const root = await temporaryFolder(t);
  const [workdir, userFolder] = [join(root, "workdir"), join(root, "config/skills")];
  await mkdir(workdir);
  return {
    root,
    workdir,
    userFolder,
    find: () => findSkills({ workdir, userFolder, canonicalName: (name) => plainCatalog.canonicalName(name) }),
  };
}

test("skills are found in all their folders, with tools by any of their names; the person's own come first [L12]", async (t) => {
  const { workdir, userFolder, find } = await setUp(t);
  await writeSkill(join(workdir, "skills/review"), "description: Reviews a change.\nallowed-tools: ReadFile, search");
  await writeSkill(
    join(workdir, ".agents/skills/b"),
    "name: commit\ndescription: Commits.\nallowed-tools:\n  - Bash(git:*)",
  );
  await writeSkill(join(workdir, ".claude/skills/mine"), "description: of the project");
  await writeSkill(join(userFolder, "mine"), "description: of the person");
  await mkdir(join(workdir, "skills/not-a-skill"));
  const { skills, problems } = await find();
  assert.deepEqual(skills, [
    {
      name: "commit",
      description: "Commits.",
      allowedTools: [{ tool: "bash", rule: "bash(git *)" }],
      path: join(workdir, ".agents/skills/b/SKILL.md"),
      source: "project",
    },
    {
      name: "mine",
      description: "of the person",
      allowedTools: null,
      path: join(userFolder, "mine/SKILL.md"),
      source: "person",
    },
    {
      name: "review",
      description: "Reviews a change.",
      allowedTools: [
        { tool: "read", rule: null },
        { tool: "grep", rule: null },
      ],
      path: join(workdir, "skills/review/SKILL.md"),
      source: "project",
    },
  ]);
  assert.deepEqual(problems, [
    `The skill ${join(workdir, ".claude/skills/mine/SKILL.md")} is not used: ${join(userFolder, "mine/SKILL.md")} has the same name.`,
  ]);
});

test("a skill that can't be used is named with its problem, and the others work [L12]", async (t) => {
  const { root, workdir, find } = await setUp(t);
  await writeSkill(join(workdir, "skills/good"), "description: Good.\nallowed-tools: read, flyy");
  await writeSkill(join(workdir, "skills/a"), "name: a");
  await writeSkill(join(workdir, "skills/b"), "name: b b\ndescription: x");
  await writeSkill(join(workdir, "skills/c"), "description: x", " ");
  await writeSkill(join(workdir, "skills/d"), "nonsense");
  await writeSkill(join(root, "outside/e"), "description: outside");
  await mkdir(join(workdir, "skills/e"));
  await symlink(join(root, "outside/e/SKILL.md"), join(workdir, "skills/e/SKILL.md"));
  await symlink(join(root, "outside/e"), join(workdir, "skills/f"));
  await mkdir(join(workdir, ".claude"));
  await symlink("../skills", join(workdir, ".claude/skills"));
  await mkdir(join(workdir, ".agents"));
  await symlink(join(root, "outside"), join(workdir, ".agents/skills"));
  const { skills, problems } = await find();
  assert.deepEqual(
    skills.map(({ name }) => name),
    ["good"],
  );
  const at = (name: string): string => `The skill ${join(workdir, "skills", name, "SKILL.md")} is not used:`;
  assert.deepEqual(problems, [
    "The skills in .agents/skills are not used: it leads out of the workdir.",
    `${at("a")} its head has no description.`,
    `${at("b")} its name must have 1 to 64 letters, digits, "_" or "-".`,
    `${at("c")} there is no text below its head.`,
    `${at("d")} line 2 is not "key: value": nonsense.`,
    `${at("e")} it is a link to something else than a text beside it.`,
    'The skill "good" allows flyy, which is no tool here.',
  ]);
});

test("a skill in use refuses every other tool, in its conversation, until it is laid down [L12]", async (t) => {
  const { workdir, find } = await setUp(t);
  await writeSkill(
    join(workdir, "skills/review"),
    "description: Reviews.\nallowed-tools: [read, bash(git *)]",
    "Read first.",
  );
  await writeFile(join(workdir, "skills/review/list.md"), "");
  const book = createSkillBook((await find()).skills);
  const fitsRule = (rule: string, { input }: { input: unknown }): boolean =>
    rule === "bash(git *)" && (input as { command: string }).command.startsWith("git ");
  const { engine } = setUpEngine({
    catalog: createCatalog([...plainTools, ...createSkillTools(book)]),
    permit: createSkillGuard({ book, fitsRule }),
  });
  const call = async (tool: string, input: unknown = {}, conversationId = "one") => {
    const { state, error, errorType, result } = await engine.call({ tool, input, conversationId });
    return state === "completed" && result?.ok ? result.output : `${errorType}: ${error}`;
  };
  const refused =
    'denied: The skill "review" is in use and allows only: read, bash(git *). Go on with these, or call end_skill when its work is done.';
  assert.equal(await call("grep"), "grep ran");
  assert.equal(
    await call("use_skill", { name: "Review" }),
    `Read first.\n\n[Skill folder: ${join(workdir, "skills/review")}, with list.md]\n[In use until end_skill. Allowed: read, bash(git *)]`,
  );
  assert.equal(await call("read"), "read ran");
  assert.equal(await call("ask_user"), "ask_user ran");
  assert.equal(await call("bash", { command: "git status" }), "bash ran");
  assert.ok((await call("bash", { command: "rm x" })).endsWith(refused.slice("denied: ".length)));
  assert.ok((await call("grep")).startsWith("denied: "));
  assert.ok((await call("grep")).includes(refused.slice("denied: ".length)));
  assert.equal(await call("grep", {}, "two"), "grep ran");
  assert.equal(await call("end_skill"), 'The skill "review" is no longer in use.');
  assert.equal(await call("grep"), "grep ran");
  assert.equal(await call("end_skill"), "No skill was in use.");
});

test("in one reply the calls behind use_skill are judged by that skill [L12]", async (t) => {
  const { workdir, find } = await setUp(t);
  await writeSkill(join(workdir, "skills/review"), "description: Reviews.\nallowed-tools: read");
  const book = createSkillBook((await find()).skills);
  const { engine } = setUpEngine({
    catalog: createCatalog([...plainTools, ...createSkillTools(book)]),
    permit: createSkillGuard({ book, fitsRule: () => false }),
  });
  const batch = engine.openBatch({ conversationId: "one" });
  for (const tool of ["grep", "use_skill", "grep", "read"]) batch.add({ tool, input: { name: "review" } });
  const ended = await batch.end();
  assert.deepEqual(
    ended.map(({ state, errorType }) => errorType ?? state),
    ["completed", "completed", "denied", "completed"],
  );
});

test("an unknown skill is answered with the nearest, a vanished one without taking it into use [L12]", async (t) => {
  const { workdir, find } = await setUp(t);
  await writeSkill(join(workdir, "skills/review"), "description: Reviews.\nallowed-tools: read");
  const book = createSkillBook((await find()).skills);
  const { engine } = setUpEngine({ catalog: createCatalog(createSkillTools(book)) });
  const unknown = await engine.call({ tool: "use_skill", input: { name: "revew" }, conversationId: "one" });
  assert.equal(unknown.result?.ok === false && unknown.result.hint, "Did you mean review?");
  await rm(join(workdir, "skills/review"), { recursive: true });
  const gone = await engine.call({ tool: "use_skill", input: { name: "review" }, conversationId: "one" });
  assert.match(gone.error ?? "", /^The skill "review" can't be read any more: /);
  assert.equal(book.inUse("one"), undefined);
  assert.deepEqual(createSkillTools(createSkillBook([])), []);
});

test("a conversation that is resumed has the skill in use that it had [L12]", async (t) => {
  const { workdir, find } = await setUp(t);
  await writeSkill(join(workdir, "skills/review"), "description: Reviews.\nallowed-tools: read");
  const book = createSkillBook((await find()).skills);
  const usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
  const step = (callId: string, tool: string, isError = false): SessionEntry[] => {
    const inputText = tool === "call_tool" ? '{"name":"use_skill","input":{"name":"review"}}' : '{"name":"review"}';
    const bodies: SessionEntryBody[] = [
      {
        type: "assistant",
        parts: [{ type: "call", callId, tool, inputText }],
        model: "m",
        stop: "calls",
        usage,
        cost: null,
      },
      { type: "results", results: [{ callId, tool, text: "", isError }] },
    ];
    return bodies.map((body, at) => ({ ...body, v: 1, id: `${callId}${at}`, parentId: null, at: 0 }));
  };
  const inUseAfter = (...steps: SessionEntry[][]): string | undefined => {
    const name = `conversation ${steps.length} ${JSON.stringify(steps).length}`;
    restoreSkill(book, name, steps.flat());
    return book.inUse(name)?.name;
  };
  assert.equal(inUseAfter(step("a", "use_skill")), "review");
  assert.equal(inUseAfter(step("a", "call_tool")), "review");
  assert.equal(inUseAfter(step("a", "use_skill"), step("b", "end_skill")), undefined);
  assert.equal(inUseAfter(step("a", "use_skill"), step("b", "end_skill", true)), "review");
  assert.equal(inUseAfter(step("a", "use_skill", true)), undefined);
});

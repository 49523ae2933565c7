import assert from "node:assert/strict";
import { existsSync, mkdirSync, renameSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { systemClock } from "../../src/core/clock.ts";
import { openNamedTokens } from "../../src/daemon/access/named-tokens.ts";
import { createTaskToolbox } from "../../src/mcp/server/task-toolbox.ts";
import { createRuntime } from "../../src/runtime/create-runtime.ts";
import { createChecker } from "../../src/permissions/checker.ts";
import { afterTest } from "../support/after-test.ts";
import { ask, openDaemon } from "../daemon/support/daemon.ts";
import { until } from "../support/runtime.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { openMachine } from "./support.ts";

const agents = { helper: { command: ["sh", "-s"] as [string, ...string[]] } };
const settings = { agents, permissions: { mode: "auto" as const, allow: ["use_agent"] } };
const message = "echo evil > made.txt";

test("no folder of git, of keys or of Deckhand's own can be a workspace (S-H1) [G1]", async (t) => {
  const { home, workdir, env } = await openMachine(t);
  const refused: Record<string, string> = {
    [join(workdir, ".git/hooks")]: "lies inside a folder .git",
    [join(home, ".ssh")]: "lies inside a folder .ssh",
    [join(home, ".gnupg/private-keys-v1.d")]: "lies inside a folder .gnupg",
    [join(workdir, ".deckhand/tasks")]: "lies inside a folder .deckhand",
    [join(home, ".aws/sso")]: "lies where programs keep keys and tokens",
    [join(home, ".local/state/deckhand/0123")]: "lies inside Deckhand's own state folder",
  };
  for (const [folder, why] of Object.entries(refused)) {
    mkdirSync(folder, { recursive: true });
    await assert.rejects(createRuntime({ workdir: folder, env }), {
      code: "WORKDIR_INVALID",
      message: `The workdir ${folder} ${why}; name the folder of a project.`,
    });
  }
});

test("a protected or secret name counts wherever it lies on the whole path (S-H1) [G1]", async (t) => {
  const { home, workdir, env, open } = await openMachine(t, { at: "work/.husky" });
  const place = join(home, "work/.git/hooks");
  mkdirSync(place, { recursive: true });
  mkdirSync(join(home, ".ssh"));
  const checker = createChecker({ workdir: home, env });
  const judged = async (path: string, operation: string, folder: string) => {
    const { allowed, kind } = await checker.path(path, { operation, workdir: folder });
    return [allowed, kind];
  };
  assert.deepEqual(await judged("pre-commit", "write", place), [false, "protected"]);
  assert.deepEqual(await judged("notes.txt", "read", join(home, ".ssh")), [false, "secret"]);
  assert.deepEqual(await judged("plain.txt", "write", home), [true, "ok"]);
  const runtime = await open({ settings: { permissions: { mode: "accept-edits" } } });
  const written = await runtime.call("write", { file_path: "pre-commit", content: "x" }, { door: "agent" });
  assert.deepEqual([written.state, existsSync(join(workdir, "pre-commit"))], ["cancelled", false]);
});

test("tools never write the state folder, wherever it lies and whoever approves (S-H1) [G1]", async (t) => {
  const { home, env } = await openMachine(t);
  const asked: string[] = [];
  const runtime = await createRuntime({
    workdir: home,
    env,
    settings: { permissions: { mode: "accept-edits" } },
    approve: async ({ title }) => {
      asked.push(title);
      return { decision: "allow", scope: "once", who: "kim" };
    },
  });
  afterTest(t, () => runtime.close());
  const path = join(runtime.stateFolder, "daemon-tokens.json");
  const { state, error } = await runtime.call("write", { file_path: path, content: "[]" }, { door: "agent" });
  assert.deepEqual(
    [state, error, asked, existsSync(path)],
    ["cancelled", `Refused: ${path} belongs to Deckhand's own state, which no tool may change.`, [], false],
  );
});

test("a model's background agent works in the workspace unless a person approves that very call (S-H1a) [G1]", async (t) => {
  const { home, workdir, env, open } = await openMachine(t);
  const places = [join(workdir, ".git/hooks"), join(home, ".ssh"), join(home, "elsewhere")];
  for (const place of places) mkdirSync(place, { recursive: true });
  const order = (cwd: string) => ({ cli_name: "helper", message, cwd });
  const nobody = await open({ settings });
  for (const place of places.slice(1)) {
    const { state, error } = await nobody.call("use_agent", order(place), { door: "agent" });
    assert.equal(state, "cancelled", error ?? "");
  }
  const inGit = await nobody.call("use_agent", order(".git/hooks"), { door: "agent" });
  assert.match(
    inGit.error ?? "",
    /The working directory ".*\/\.git\/hooks" lies inside a folder \.git\. Choose the folder of a project\./,
  );
  assert.deepEqual(await (await nobody.tasks()).list({ limit: 10 }), []);
  await nobody.close();

  const shown: string[] = [];
  const attended = await createRuntime({
    workdir,
    env,
    settings,
    approve: async ({ reasons }) => {
      shown.push(...reasons);
      return { decision: "allow", scope: "once", who: "kim" };
    },
  });
  afterTest(t, () => attended.close());
  const approved = await attended.call("use_agent", order(places[2]!), { door: "agent" });
  assert.equal(approved.state, "completed", approved.error ?? "");
  assert.deepEqual(shown, [`The agent would work outside the workdir, in ${places[2]} (${places[2]})`]);
  await until("it ran there", () => existsSync(join(places[2]!, "made.txt")));
  const inSsh = await attended.call("use_agent", order(places[1]!), { door: "agent" });
  assert.deepEqual([inSsh.state, existsSync(join(places[1]!, "made.txt"))], ["failed", false]);
});

test("over MCP a task stays in the workspace unless the settings say otherwise (S-H1b) [G1]", async (t) => {
  const { home, workdir, open } = await openMachine(t);
  const outside = join(home, "elsewhere");
  mkdirSync(outside);
  const context = { signal: new AbortController().signal, progress: () => undefined };
  const start = async (runtime: Awaited<ReturnType<typeof open>>) => {
    const toolbox = createTaskToolbox({ desk: () => runtime.tasks(), clock: systemClock });
    return (await toolbox.find("use_agent"))!.call({ cli_name: "helper", message, cwd: outside }, context);
  };
  const usual = await open({ settings });
  const { isError, content } = await start(usual);
  assert.equal(isError, true);
  assert.ok(
    JSON.stringify(content).includes(`is outside the workspace ${workdir}. Choose one inside it; a person can start`),
  );
  assert.equal(existsSync(join(outside, "made.txt")), false);
  await usual.close();
  const wide = await open({ settings: { ...settings, permissions: { mode: "auto", tasks_outside_workspace: true } } });
  assert.notEqual((await start(wide)).isError, true);
  await until("it ran there", () => existsSync(join(outside, "made.txt")));
});

test("a token that may only run can't send a task out of the workspace; one that may approve can (S-H1c) [G1]", async (t) => {
  const outside = await temporaryFolder(t);
  const { port, folders, ask: asOwner } = await openDaemon(t, { config: { settings: { agents } } });
  const token = openNamedTokens(folders.state).add("robot", ["read", "run"], 0);
  const body = { agent: "helper", message, cwd: outside };
  const refused = await ask(port, token, { path: "/api/tasks", body });
  assert.equal(refused.status, 400, refused.body);
  assert.match(refused.body, /is outside the workspace/);
  const inside = await ask(port, token, { path: "/api/tasks", body: { agent: "helper", message: "true" } });
  assert.equal(inside.status < 300, true, inside.body);
  const own = await asOwner({ path: "/api/tasks", body });
  assert.equal(own.status < 300, true, own.body);
});

test("a folder that is replaced by a link after the order does not lead its agent elsewhere (S-H1) [G1]", async (t) => {
  const { home, workdir, open } = await openMachine(t);
  const outside = join(home, "elsewhere");
  mkdirSync(outside);
  mkdirSync(join(workdir, "sub"));
  const runtime = await open({ settings: { ...settings, limits: { max_agents: 1 } } });
  const tasks = await runtime.tasks();
  const first = await tasks.start({
    agent: "helper",
    message: "until [ -e go ]; do sleep 0.05; done; echo over",
    door: "mcp",
  });
  const second = await tasks.start({ agent: "helper", message, cwd: "sub", door: "mcp" });
  renameSync(join(workdir, "sub"), join(workdir, "moved"));
  symlinkSync(outside, join(workdir, "sub"));
  symlinkSync("/dev/null", join(workdir, "go"));
  assert.equal((await tasks.wait(first.id, 20_000)).state, "completed");
  const { state, error } = await tasks.wait(second.id, 20_000);
  assert.deepEqual([state, existsSync(join(outside, "made.txt"))], ["failed", false]);
  assert.match(error ?? "", /leads to .*elsewhere since the task was ordered/);
});

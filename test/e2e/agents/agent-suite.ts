import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { test, type TestContext } from "node:test";
import type { TaskOrder } from "../../../src/core/task.ts";
import { serveScript, type ScriptServer } from "../../../packages/testing/src/serve-script.ts";
import type { Script } from "../../../packages/testing/src/script.ts";
import { listAdapters } from "../../../src/tasks/adapters/list-adapters.ts";
import type { TaskManager } from "../../../src/tasks/manager/task-manager.ts";
import { afterTest } from "../../support/after-test.ts";
import { lane } from "../../support/require.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { anOrder } from "../../tasks/adapters/an-order.ts";
import { driveAgent, findMarked, markName, writeHome, type StartedDrive } from "../../tasks/adapters/drive-agent.ts";
import { openTasks } from "../../tasks/support/open-tasks.ts";
import { until } from "../../tasks/support/until.ts";
import { loopbackOf } from "./loopback.ts";
import { programOf, whyNoAgent, type PinnedAgent } from "./pins.ts";

const cache = process.env["DECKHAND_AGENTS_CACHE"];
const hostile = "--help\n-y \"quoted\" 'single' $HOME `id` ünï 🎉\n--yolo";

export interface SuiteOptions {
  /** The shell of this CLI as its model calls it, and whether it asks before it runs something. */
  readonly shell: { readonly tool: string; readonly input: (command: string) => unknown; readonly asks: boolean };
}

/** What is true of every real CLI, against a scripted model on this machine. */
export function testAgent(agent: PinnedAgent, { shell }: SuiteOptions): void {
  const needs = lane("agents", whyNoAgent(cache, agent));

  test(`${agent} answers a message that looks like options, and goes on with the session [T8]`, needs, async (t) => {
    const world = await openWorld(t, agent, { turns: ["FIRST-ANSWER", "SECOND-ANSWER"], withoutTools: "A title" });
    const order = { message: hostile, systemPrompt: "SYSTEM-MARK\n-be terse", model: world.model };
    const started = await world.start(order);
    const first = await started.ended;
    assert.deepEqual(first.verdict, { ok: true, text: "FIRST-ANSWER" }, first.exit.errorText);
    const request = world.server.requests.find((each) => wholeOf(each).includes(order.systemPrompt));
    assert.ok(request, "the system prompt did not arrive");
    assert.ok(request.system.replace(order.systemPrompt, "").length > 500, "its own system prompt is gone");
    assert.equal(request.model, world.model.replace(/^fake\//, ""));
    assert.ok(saidIn(request).includes(hostile), saidIn(request).slice(-500));
    assert.deepEqual(started.left(), []);

    const before = world.server.requests.length;
    const again = { model: world.model, message: "and then?", resume: first.sessionId };
    const second = await (await world.start(again)).ended;
    assert.deepEqual(second.verdict, { ok: true, text: "SECOND-ANSWER" }, second.exit.errorText);
    assert.equal(second.sessionId, first.sessionId);
    const said = world.server.requests.slice(before).map(saidIn);
    assert.ok(said.some((text) => text.includes(hostile) && text.includes("FIRST-ANSWER")));
  });

  test(`${agent} that its model refuses has failed [T8]`, needs, async (t) => {
    const fail = { status: 400, message: "no such luck", times: "always" } as const;
    const world = await openWorld(t, agent, { turns: [{ text: "x", fail }], withoutTools: "A title" });
    const started = await world.start({ model: world.model });
    const { verdict } = await started.ended;
    assert.equal(verdict.ok, false);
    assert.match(verdict.ok ? "" : verdict.error, /no such luck/);
    assert.deepEqual(started.left(), []);
  });

  test(`${agent} does not begin anew when it is to go on with a session it does not know [T8]`, needs, async (t) => {
    const world = await openWorld(t, agent, { turns: ["x"], withoutTools: "A title" });
    const resume = agent === "opencode" ? "ses_e1d250a03ffeWozFQo8VH8lb8l" : "5f85a03d-3948-49c3-9ba2-4b97c1f85f68";
    const { verdict } = await (await world.start({ model: world.model, resume })).ended;
    assert.equal(verdict.ok, false);
    assert.match(verdict.ok ? "" : verdict.error, /session|thread/i);
  });

  test(`${agent} ends with nothing left of it when its task is cancelled [T7] [T8]`, needs, async (t) => {
    const world = await openWorld(t, agent, hanging);
    const { manager, left } = await world.manage();
    const { id } = await manager.start({
      agent,
      model: world.model,
      message: "say hi",
      cwd: world.cwd,
      door: "library",
    });
    await until(() => world.server.requests.some(({ tools }) => tools.length > 0), "its model is asked");
    assert.notDeepEqual(left(), []);
    const { state, error } = await manager.cancel(id, "not needed any more");
    assert.equal(state, "cancelled");
    assert.match(error!, /not needed any more/);
    assert.deepEqual(left(), []);
  });

  test(`${agent} ends with nothing left of it when its time is over [T8]`, needs, async (t) => {
    const world = await openWorld(t, agent, hanging);
    const { manager, left } = await world.manage();
    const order = { agent, model: world.model, message: "say hi", cwd: world.cwd, timeoutMs: 3000 } as const;
    const { id } = await manager.start({ ...order, door: "library" });
    const { state, result } = await manager.wait(id, 120_000);
    assert.deepEqual({ state, result }, { state: "timeout", result: null });
    assert.deepEqual(left(), []);
  });

  test(`${agent} does a task of the task manager, and another one in its session [T8]`, needs, async (t) => {
    const world = await openWorld(t, agent, { turns: ["FIRST-ANSWER", "SECOND-ANSWER"], withoutTools: "A title" });
    const { manager, left } = await world.manage();
    const order = { agent, model: world.model, message: hostile, cwd: world.cwd } as const;
    const first = await manager.wait((await manager.start({ ...order, door: "library" })).id, 240_000);
    assert.deepEqual([first.state, first.result, first.error], ["completed", "FIRST-ANSWER", null]);
    const second = await manager.wait((await manager.resume(first.id, "and then?", "library")).id, 240_000);
    assert.deepEqual([second.state, second.result, second.error], ["completed", "SECOND-ANSWER", null]);
    assert.equal(second.sessionId, first.sessionId);
    assert.deepEqual(left(), []);
  });

  for (const bypassesPermissions of shell.asks ? [false, true] : [true]) {
    const how = bypassesPermissions ? "runs a command where the task bypasses permissions" : "runs no command unasked";
    test(`${agent} ${how} [T8]`, needs, async (t) => {
      const folder = await temporaryFolder(t);
      const made = join(folder, "made");
      const call = { tool: shell.tool, input: shell.input(`touch ${made}`) };
      const script = { turns: [{ text: "I do.", calls: [call] }, "DONE"], atEnd: "repeat_last" } as const;
      const world = await openWorld(t, agent, { ...script, withoutTools: "A title" });
      const { exit } = await (await world.start({ model: world.model, bypassesPermissions })).ended;
      assert.equal(existsSync(made), bypassesPermissions, exit.errorText);
    });
  }
}

const hanging: Script = { turns: [{ text: "x", delayMs: 600_000 }], withoutTools: "A title" };

interface World {
  readonly server: ScriptServer;
  readonly model: string;
  readonly cwd: string;
  /** A task manager that knows this agent, and what of its tasks still lives. */
  manage(): Promise<{ readonly manager: TaskManager; readonly left: () => number[] }>;
  start(order: Partial<TaskOrder>): Promise<StartedDrive>;
}

/** A person's home folder that leads to a scripted model, and a folder to work in that they trust. */
async function openWorld(t: TestContext, agent: PinnedAgent, script: Script): Promise<World> {
  const folder = await temporaryFolder(t);
  const server = await serveScript(script);
  afterTest(t, () => server.close());
  const cwd = join(folder, "work");
  const home = join(folder, "home");
  await mkdir(cwd);
  const { model, env, files } = loopbackOf(agent, { url: server.url, cwd });
  await writeHome(home, files);
  const path = `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`;
  const mark = randomUUID();
  const environment = { HOME: home, PATH: path, LANG: "C.UTF-8", ...env, [markName]: mark };
  const settings = { command: [programOf(cache!, agent)], passes: [...Object.keys(env), markName] } as const;
  const adapters = listAdapters({ own: ["node", "x"], agents: { [agent]: settings } });
  return {
    server,
    model,
    cwd,
    async manage() {
      const { manager } = await openTasks(t, { adapters, environment });
      return { manager, left: () => findMarked(mark) };
    },
    start: (order) =>
      driveAgent(t, {
        adapter: adapters.get(agent)!,
        order: anOrder({ agent, cwd, ...order }),
        folder,
        env: environment,
      }),
  };
}

function wholeOf(request: ScriptServer["requests"][number]): string {
  return `${request.system}\n${saidIn(request)}`;
}

function saidIn({ messages }: ScriptServer["requests"][number]): string {
  const texts: string[] = [];
  for (const message of messages) {
    if (!("parts" in message)) continue;
    for (const part of message.parts) if ("text" in part) texts.push(part.text);
  }
  return texts.join("\n");
}

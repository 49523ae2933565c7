import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { serveScript } from "../../../packages/testing/src/serve-script.ts";
import { listAdapters } from "../../../src/tasks/adapters/list-adapters.ts";
import { afterTest } from "../../support/after-test.ts";
import { lane } from "../../support/require.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { anOrder } from "../../tasks/adapters/an-order.ts";
import { driveAgent, writeHome } from "../../tasks/adapters/drive-agent.ts";
import { loopbackOf } from "./loopback.ts";
import { programOf, whyNoAgent, type PinnedAgent } from "./pins.ts";

const cache = process.env["DECKHAND_AGENTS_CACHE"];

/** Three of the six speak ACP themselves. */
const acpAgents: readonly { readonly agent: PinnedAgent; readonly args: string[]; readonly model: string | null }[] = [
  { agent: "gemini", args: ["--acp", "--model={model}"], model: "gemini-2.5-flash" },
  { agent: "qwen", args: ["--acp"], model: null },
  { agent: "opencode", args: ["acp"], model: "fake/fake-model" },
];

for (const { agent, args, model } of acpAgents) {
  test(
    `${agent} does a task over ACP and goes on with it [T8]`,
    lane("agents", whyNoAgent(cache, agent)),
    async (t) => {
      const folder = await temporaryFolder(t);
      const server = await serveScript({ turns: ["FIRST-ANSWER", "SECOND-ANSWER"], withoutTools: "A title" });
      afterTest(t, () => server.close());
      const [cwd, home] = [join(folder, "work"), join(folder, "home")];
      await mkdir(cwd);
      const { env, files } = loopbackOf(agent, { url: server.url, cwd });
      await writeHome(home, files);
      const command = [programOf(cache!, agent), ...args] as const;
      const adapter = listAdapters({ own: ["node", "x"], agents: { mine: { command, output: "acp" } } }).get("mine")!;
      const path = `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`;
      const request = { adapter, folder, env: { HOME: home, PATH: path, LANG: "C.UTF-8", ...env } };

      const started = await driveAgent(t, { ...request, order: anOrder({ cwd, model, message: "--help\n🎉" }) });
      const first = await started.ended;
      assert.deepEqual(first.verdict, { ok: true, text: "FIRST-ANSWER" }, first.exit.errorText);
      assert.ok(server.requests.some(({ messages }) => JSON.stringify(messages).includes("--help\\n🎉")));
      assert.deepEqual(started.left(), []);

      // Within the minute it began in, gemini 0.61 overwrites a session that it is to load.
      if (agent === "gemini") return;
      const order = anOrder({ cwd, model, message: "and then?", resume: first.sessionId });
      const second = await (await driveAgent(t, { ...request, order })).ended;
      assert.deepEqual(second.verdict, { ok: true, text: "SECOND-ANSWER" }, second.exit.errorText);
    },
  );
}

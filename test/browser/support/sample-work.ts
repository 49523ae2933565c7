import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { systemClock, type Clock } from "../../../src/core/clock.ts";
import type { Runtime } from "../../../src/runtime/create-runtime.ts";
import { createRuntime } from "../../../src/runtime/create-runtime.ts";
import { createTrust } from "../../../src/permissions/trust/open-trust.ts";
import type { Machine } from "../../cli/run-deckhand.ts";
import { sampleTools } from "./sample-tools.ts";

/** The person's settings: agents that are shell scripts, new tool files are tried first, questions wait in the inbox. */
const settings = {
  rollout: { mode: "canary" },
  permissions: { unattended: "inbox", allow: ["word_count", "price_quote", "find_orders", "bash(sleep *)"] },
  agents: {
    shell: { command: ["sh", "-s"] },
    reviewer: { command: ["sh", "-c", "cat >/dev/null; echo 'Looks good: 3 files, nothing to change.'"] },
    // Says which session it goes on with.
    talker: {
      command: ["sh", "-c", `printf '{"id":"talk-7","result":"%s"}' "\${1:-new}: $(cat)"`, "talker", "{session}"],
      output: "json_lines",
      session_field: "id",
    },
  },
};

/** A workdir with tool files that are trusted, a few other files, and a model that says what a script tells it to. */
export async function writeSampleFiles(machine: Machine): Promise<void> {
  const { workdir, env } = machine;
  const configuration = join(env["XDG_CONFIG_HOME"]!, "deckhand");
  await mkdir(configuration, { recursive: true });
  await mkdir(join(workdir, "tools"));
  await mkdir(join(workdir, "src"));
  const files: Readonly<Record<string, string>> = {
    [join(configuration, "deckhand.json")]: JSON.stringify(settings),
    [join(workdir, "tools", "word_count.js")]: sampleTools.wordCount(1),
    [join(workdir, "tools", "price_quote.js")]: sampleTools.priceQuote(1),
    [join(workdir, "tools", "find_orders.js")]: sampleTools.findOrders,
    [join(workdir, "src", "price.js")]: priceFile,
    [join(workdir, "notes.txt")]: "Prices are rounded to the cent.\nOrders leave at four.\n",
    [join(workdir, "talk.json")]: JSON.stringify({
      turns: [
        { text: "I'll look at the notes.", calls: [{ tool: "read", input: { file_path: "notes.txt" } }] },
        { calls: [{ tool: "grep", input: { pattern: "cent", path: "src" } }] },
        "Prices are rounded to the cent; src/price.js says so as well.",
      ],
    }),
  };
  for (const [path, text] of Object.entries(files)) await writeFile(path, text);
  const trust = createTrust(workdir, env);
  trust.grant("kim", { files: trust.files().map(({ path }) => path), quarantined: trust.quarantined() });
}

const priceFile = `export function price(pieces) {
  const sum = pieces * 4.2;
  return Math.round(sum * 100) / 100; // to the cent
}
`;

/**
 * Real calls of the tool files by many conversations, first of the one version, then with a second one of two of them: both
 * are being tried when this ends. `spanMs`: the calls are spread over so much time up to now.
 */
export async function tryVersions(
  machine: Machine,
  { calls, spanMs = 0 }: { readonly calls: number; readonly spanMs?: number },
): Promise<void> {
  const total = calls * 2;
  const from = Date.now() - spanMs;
  let done = 0;
  const clock: Clock =
    spanMs === 0 ? systemClock : { ...systemClock, now: () => from + Math.round((done / total) * spanMs) };
  const runtime = await createRuntime({ workdir: machine.workdir, env: machine.env, clock });
  try {
    const talk = async (rounds: number): Promise<void> => {
      for (let round = 0; round < rounds; round++) {
        await callBoth(runtime, done);
        done += 1;
      }
    };
    await talk(calls);
    await saveTool(machine, "word_count.js", sampleTools.wordCount(2));
    await saveTool(machine, "price_quote.js", sampleTools.priceQuote(2));
    await talk(calls);
  } finally {
    await runtime.close();
  }
}

/** Conversations of four calls each. */
async function callBoth(runtime: Runtime, index: number): Promise<void> {
  const conversationId = `ses_sample_${index >> 2}`;
  const text = "what a fine day ".repeat(1 + (index % 5));
  await Promise.all([
    runtime.call("word_count", { text }, { conversationId }),
    runtime.call("price_quote", { article: "rope", pieces: 1 + ((index * 37) % 300) }, { conversationId }),
  ]);
}

/** As an editor saves: written beside it, then renamed. */
async function saveTool(machine: Machine, name: string, content: string): Promise<void> {
  const folder = join(machine.workdir, "tools");
  await writeFile(join(folder, `.${name}.new`), content);
  await rename(join(folder, `.${name}.new`), join(folder, name));
}

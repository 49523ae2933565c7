import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { systemClock, type Clock } from "../../src/core/clock.ts";
import type { RolloutEventType } from "../../src/core/stores.ts";
import type { Runtime, RuntimeConfig } from "../../src/runtime/create-runtime.ts";
import { createTrust } from "../../src/permissions/trust/open-trust.ts";
import type { Settings } from "../../src/config/settings.ts";
import { openMachine, type Machine } from "../cli/run-deckhand.ts";
import { openRuntime } from "../support/runtime.ts";

/** A person's machine with tool files that the person trusts. */
export interface ToolMachine extends Machine {
  readonly folder: string;
  /** As an editor saves: written beside it, then renamed. */
  save(name: string, content: string): Promise<void>;
  trust(): void;
  open(settings?: Settings, config?: RuntimeConfig): Promise<Runtime>;
  /** `deckhand … --json`, as a value. */
  json(args: readonly string[]): Promise<unknown>;
}

export async function openToolMachine(t: TestContext, files: Readonly<Record<string, string>>): Promise<ToolMachine> {
  const machine = await openMachine(t);
  const { workdir: home, env } = machine;
  const folder = join(home, "tools");
  await mkdir(folder);
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
  const opened: ToolMachine = {
    ...machine,
    folder,
    async save(name, content) {
      await writeFile(join(folder, `.${name}.new`), content);
      await rename(join(folder, `.${name}.new`), join(folder, name));
    },
    trust() {
      const trust = createTrust(home, env);
      trust.grant("kim", { files: trust.files().map(({ path }) => path), quarantined: trust.quarantined() });
    },
    open: (settings = {}, config = {}) =>
      openRuntime(t, { home, env, settings: { permissions: { allow: ["*"] }, ...settings }, ...config }),
    async json(args) {
      const { stdout, stderr, code } = await machine.run([...args, "--json"]);
      if (code !== 0) throw new Error(`deckhand ${args.join(" ")} ended with ${code}: ${stderr}`);
      return JSON.parse(stdout);
    },
  };
  opened.trust();
  return opened;
}

export const canary: Settings = { rollout: { mode: "canary" } };

/** Real time, but every call takes none: how busy this machine is can't make one of two versions look slower. */
export const stillClock: Clock = { ...systemClock, monotonic: () => 0 };

interface ToolText {
  readonly traits?: Readonly<Record<string, unknown>>;
  readonly description?: string;
  readonly more?: Readonly<Record<string, unknown>>;
}

/** A tool that gives its text back in capitals, and does this as well. */
export function shouting(body: string, { traits, description = "Say it loud.", more = {} }: ToolText = {}): string {
  const spec = {
    name: "shout",
    description,
    input_schema: {
      type: "object",
      properties: { text: { type: "string" }, mode: { type: "string", enum: ["plain", "warm"] } },
      required: ["text"],
    },
    traits: traits ?? { read_only: true },
    ...more,
  };
  return `export const TOOL_SPEC = ${JSON.stringify(spec)};
export const run = (input, context) => {
  ${body}
  return { ok: true, output: input.text.toUpperCase() };
};
`;
}

/** Fails three inputs in ten, always the same. */
export const failsThreeInTen = `const sum = [...input.text].reduce((all, each) => all + each.charCodeAt(0) * 7, 0);
  if (sum % 10 < 3) throw new Error("no voice for " + input.text);`;

/** Conversations of four calls each, one after the other, until it is so; gives how many calls there were. */
export async function talk(
  runtime: Runtime,
  { name, most, until }: { readonly name: string; readonly most: number; readonly until: () => boolean },
): Promise<number> {
  for (let calls = 0; calls < most; calls++) {
    if (until()) return calls;
    await runtime.call("shout", { text: `${name} ${calls}` }, { conversationId: `ses_${name}_${calls >> 2}` });
  }
  return most;
}

/** What became of versions, as it was told. */
export function listen(runtime: Runtime): { readonly change: RolloutEventType; readonly reason: string }[] {
  const heard: { change: RolloutEventType; reason: string }[] = [];
  runtime.on("rollout:changed", ({ change, reason }) => void heard.push({ change, reason }));
  return heard;
}

/** Half of the conversations get the canary at once. */
export const half: Settings = { rollout: { mode: "canary", low: { stages: [50, 100] } } };

/** One call; the conversation is its sticky key. */
export function shout(runtime: Runtime, conversationId: string, more: { door?: "schedule" } = {}) {
  return runtime.call("shout", { text: "a" }, { conversationId, ...more });
}

/** Of so many conversations with one call each: which route, version and end they had. */
export async function routes(runtime: Runtime, calls: number, more: { door?: "schedule" } = {}): Promise<Set<string>> {
  const seen = new Set<string>();
  for (let index = 0; index < calls; index++) {
    const { route, version, state } = await shout(runtime, `ses_${index}`, more);
    seen.add(`${route} ${version} ${state}`);
  }
  return seen;
}

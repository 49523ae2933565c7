import type { Runtime, RuntimeConfig } from "deckhand";
import { jsTool, openToolCommand, type ToolCommand } from "./004-support.ts";
import type { Scope } from "./seed-support.ts";

type Clock = NonNullable<RuntimeConfig["clock"]>;

/** Real time, but every call takes none: how busy this machine is can't make one version look slower. */
const stillClock: Clock = {
  now: () => Date.now(),
  monotonic: () => 0,
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
};

/** Changes things, so that no recorded call is replayed on a new version. */
const lowRisk = { traits: { risk: "low" } };

export function shouting(body: string, more: Readonly<Record<string, unknown>> = lowRisk): string {
  return jsTool("shout", `${body}\n  return input.text.toUpperCase();`, more);
}

export interface Trial {
  readonly command: ToolCommand;
  readonly runtime: Runtime;
  /** What became of versions, as it was told. */
  readonly heard: { readonly change: string; readonly reason: string }[];
  /** Where the calls went so far: to the stable version, to the new one. */
  readonly routes: ReadonlySet<string | null>;
  /** Conversations of four calls each, until it is so; gives how many calls there were. */
  talk(name: string, most: number, until?: (calls: number) => boolean): Promise<number>;
  readonly last: () => string | undefined;
}

/** A folder with the tool `shout`, where new versions are tried first. */
export async function openTrial(
  scope: Scope,
  first: string = shouting(""),
  rollout: Readonly<Record<string, unknown>> = {},
): Promise<Trial> {
  const settings = { permissions: { allow: ["*"] }, rollout: { mode: "canary", ...rollout } };
  const command = await openToolCommand(scope, { "shout.js": first }, { settings });
  const runtime = await command.library(scope, { settings: {}, clock: stillClock });
  const heard: { change: string; reason: string }[] = [];
  const routes = new Set<string | null>();
  runtime.on("rollout:changed", ({ change, reason }) => void heard.push({ change, reason }));
  return {
    command,
    runtime,
    heard,
    routes,
    last: () => heard.at(-1)?.change,
    async talk(name, most, until = () => false) {
      for (let calls = 0; calls < most; calls++) {
        if (until(calls)) return calls;
        const conversationId = `ses_${name}_${calls >> 2}`;
        const { route } = await runtime.call("shout", { text: `${name} ${calls}` }, { conversationId });
        routes.add(route);
      }
      return most;
    },
  };
}

/** Half of the conversations get the new version at once. */
export const half = { low: { stages: [50, 100] }, high: { stages: [50, 100] } };

/** Fails three inputs in ten, always the same. */
export const failsThreeInTen = `const sum = [...input.text].reduce((all, each) => all + each.charCodeAt(0) * 7, 0);
  if (sum % 10 < 3) throw new Error("no voice for " + input.text);`;

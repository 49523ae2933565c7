import type { Clock } from "../../../core/clock.ts";
import type { Runtime, RuntimeConfig } from "../../../runtime/create-runtime.ts";
import type { OpenedAgent } from "../../../runtime/open-agent.ts";
import type { Guest } from "./guest.ts";
import type { DemoReport, Narrator } from "./narrator.ts";
import { observeLog } from "./observe-log.ts";
import { pauseFor, type Pace } from "./pace.ts";
import { openSceneModel, playScene } from "./play-scene.ts";
import type { Observation, SceneName, Told } from "./scene.ts";
import { scenes } from "./scenes.ts";
import type { Scratch } from "./scratch.ts";

export interface Demo {
  readonly scratch: Scratch;
  readonly narrator: Narrator;
  readonly guest: Guest;
  readonly pace: Pace;
  readonly clock: Clock;
  readonly leaving: AbortSignal;
}

const nothingTold: Told = { rounding: null };

/** Plays the scenes in the scratch folder: one conversation, the real runtime, and a model with a script for each scene. */
export async function playDemo(demo: Demo): Promise<DemoReport> {
  const { scratch, narrator, guest, leaving } = demo;
  const facts: Partial<Record<SceneName | "log", Observation["facts"]>> = {};
  let calls = 0;
  let told = nothingTold;
  await withAgent(demo, async (runtime, agent) => {
    for (const [index, scene] of scenes.entries()) {
      if (leaving.aborted) return;
      await narrator.begin(scene, { number: index + 1, count: scenes.length, isInvited: guest.isPerson });
      const taken = await playScene({ ...demo, runtime, agent }, scene, told);
      calls += taken.executions.length;
      told = taken.told;
      if (leaving.aborted) return;
      const observation = await scene.observe(taken);
      facts[scene.name] = observation.facts;
      narrator.observed(scene.name, observation);
      await guest.goOn();
    }
  });
  if (!leaving.aborted) {
    const observation = await observeLog(scratch);
    facts.log = observation.facts;
    narrator.observed("log", observation);
  }
  const report = { left: leaving.aborted, calls, scenes: facts };
  narrator.end(report);
  return report;
}

/** A rule lets commands run without a question: what is asked all the same is asked for its danger. */
const settings: NonNullable<RuntimeConfig["settings"]> = { permissions: { mode: "ask", allow: ["bash"] } };

async function withAgent(
  { scratch, narrator, guest, leaving, clock, pace }: Demo,
  work: (runtime: Runtime, agent: OpenedAgent) => Promise<void>,
): Promise<void> {
  const { createRuntime } = await import("../../../runtime/create-runtime.ts");
  const { workdir, env } = scratch;
  const { approve, ask } = guest;
  const runtime = await createRuntime({ workdir, env, settings, approve, ask });
  try {
    narrator.open({ sandbox: await describeSandbox(runtime) });
    await pauseFor(clock, pace.pauseMs, leaving);
    const model = await openSceneModel({ runtime, scratch, pace }, scenes[0]!, nothingTold);
    const agent = await runtime.openAgent({ model });
    const stopAgent = agent.on((event) => narrator.agent(event));
    const stopRuntime = runtime.on("*", (event) => narrator.runtime(event));
    try {
      await work(runtime, agent);
    } finally {
      stopAgent();
      stopRuntime();
      await agent.close();
    }
  } finally {
    await runtime.close();
  }
}

async function describeSandbox({ processes }: Runtime): Promise<string> {
  const { kind } = await processes.sandbox();
  if (kind === "bwrap") return "Commands run in a sandbox of Linux (bubblewrap).";
  if (kind === "seatbelt") return "Commands run in the sandbox of macOS (Seatbelt).";
  return (await processes.sandboxProblem()) ?? "Commands run without a sandbox here.";
}

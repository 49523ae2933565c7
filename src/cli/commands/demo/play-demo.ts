import { readFile, writeFile } from "node:fs/promises";
import type { Approve, Ask } from "../../../core/approval.ts";
import type { Execution } from "../../../core/call.ts";
import type { Clock } from "../../../core/clock.ts";
import type { AgentEvent, RuntimeEvent } from "../../../core/events.ts";
import type { Model } from "../../../core/model.ts";
import { openJournalReader, type VerifyReport } from "../../../records/audit-log/log-reader.ts";
import type { Runtime, RuntimeConfig } from "../../../runtime/create-runtime.ts";
import type { OpenedAgent } from "../../../runtime/open-agent.ts";
import { tellFinding } from "../log/log-verify-command.ts";
import { scenes } from "./scenes.ts";
import { type Pace, pauseFor, type Scratch } from "./scratch.ts";

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

/** Verifies the log as it is, and once more with one command in it made harmless. Leaves it as it was. */
async function observeLog({ workdir, env }: Pick<Scratch, "workdir" | "env">): Promise<Observation> {
  const log = openJournalReader(workdir, env);
  const { ok, lines, head } = await log.verify();
  const text = await readFile(log.path, "utf8");
  const forged = await verifyWith(text.replace("rm -rf backups", "ls     backups"));
  await writeFile(log.path, text);

  async function verifyWith(changed: string): Promise<VerifyReport> {
    await writeFile(log.path, changed);
    return log.verify();
  }

  const [problem] = forged.problems;
  return {
    sentences: [
      ok ? `The log is whole: ${lines} lines, head ${head?.slice(0, 12)}….` : "The log is NOT whole.",
      problem === undefined
        ? "Then one command in it was changed, and nobody noticed."
        : `Then one command in it was changed from rm to ls, and that shows. ${tellFinding(problem)}`,
    ],
    facts: { ok, lines, head, forgeryFound: !forged.ok },
  };
}

export interface ScenePlace {
  readonly runtime: Runtime;
  readonly agent: OpenedAgent;
  readonly scratch: Scratch;
  readonly guest: Guest;
  readonly pace: Pace;
  readonly leaving: AbortSignal;
}

/** Sends the prompt of a scene, and records what came of it. */
async function playScene(place: ScenePlace, scene: Scene, told: Told): Promise<Taken> {
  const { runtime, agent, scratch, leaving } = place;
  const events: AgentEvent[] = [];
  const stop = agent.on((event) => events.push(event));
  const stopWatching = scene.isStopped ? stopCommand(place) : undefined;
  try {
    agent.useModel(await openSceneModel(place, scene, told));
    const { state, reason } = await agent.send(scene.prompt, { signal: leaving });
    if (state !== "answered" && !leaving.aborted) {
      throw new Error(`The demo can't go on: its scene "${scene.name}" ended as ${state} (${reason}).`);
    }
  } finally {
    stopWatching?.();
    stop();
  }
  const ids = events.flatMap((event) => (event.type === "call:added" ? [event.executionId] : []));
  const executions = (await Promise.all(ids.map((id) => runtime.get(id)))).filter((each) => each !== undefined);
  return { events, executions, workdir: scratch.workdir, told: listen(executions) ?? told };
}

/** Each scene has a script of its own: one that was stopped in the middle leaves nothing behind for the next. */
async function openSceneModel(
  { runtime, scratch, pace }: Pick<ScenePlace, "runtime" | "scratch" | "pace">,
  { name, turns }: Scene,
  told: Told,
): Promise<Model> {
  const script = {
    order: "requests",
    turns: turns(told),
    ...(pace.pieceMs === null ? {} : { piece_ms: pace.pieceMs }),
  };
  const path = await scratch.write(`${name}.json`, JSON.stringify(script, null, 2));
  const { model } = await runtime.openModel(`script:${path}`);
  if (!model) throw new Error(`The script ${path} of the demo could not be opened.`);
  return { ...model, id: "script:demo" };
}

/** Stops the command of the scene when the guest has seen enough. Returns the way out. */
function stopCommand({ runtime, agent, guest }: ScenePlace): () => void {
  const output = Promise.withResolvers<void>();
  let isOver = false;
  const stopListening = runtime.on("execution:progressed", ({ progress }) => {
    // Its helper is up by then, and shows that it is stopped as well.
    if (progress.output?.includes("round ")) output.resolve();
  });
  const stop = async (): Promise<void> => {
    await guest.untilStop(output.promise);
    // Pressed before it had begun, it is stopped as soon as it has.
    await output.promise;
    if (!isOver) await agent.cancelCalls("Stopped by the user");
  };
  void stop();
  return () => {
    isOver = true;
    output.resolve();
    stopListening();
  };
}

function listen(executions: Taken["executions"]): Told | undefined {
  const asked = executions.find(({ toolId }) => toolId === "ask_user");
  const { selected } = (asked?.result?.data ?? {}) as { readonly selected?: readonly string[] };
  return asked && { rounding: selected?.[0] ?? null };
}

/** One prompt of the guided session. */
export interface Scene {
  readonly name: SceneName;
  readonly title: string;
  /** What to look at, and what it shows. */
  readonly caption: string;
  /** More for those who answer themselves. */
  readonly invitation?: string;
  readonly prompt: string;
  /** What the model says, in the format of `docs/scripted-models.md`. */
  readonly turns: (told: Told) => readonly unknown[];
  /** The command that runs is to be stopped. */
  readonly isStopped?: boolean;
  /** What came of it, from what was recorded. */
  readonly observe: (taken: Taken) => Promise<Observation> | Observation;
}

type SceneName = "reads" | "question" | "edit" | "danger" | "cancel" | "evidence";

/** What a script may depend on. */
export interface Told {
  /** How the person wants prices to be rounded; null when they did not say. */
  readonly rounding: string | null;
}

/** What was recorded while a scene was played. */
export interface Taken {
  readonly events: readonly AgentEvent[];
  /** In the order of the calls. */
  readonly executions: readonly Execution[];
  readonly workdir: string;
  readonly told: Told;
}

export interface Observation {
  /** For the person. Those that end well come first. */
  readonly sentences: readonly string[];
  /** For programs. */
  readonly facts: Readonly<Record<string, unknown>>;
}

/** Whoever sits through the demo: a person at the terminal, or one that is played. */
export interface Guest {
  /** A person: invitations to press something are for them. */
  readonly isPerson: boolean;
  readonly approve: Approve;
  readonly ask: Ask;
  /** Resolves when the next scene may begin. */
  goOn(): Promise<void>;
  /** Resolves when the command that runs is to be stopped; `hasOutput` when there is something to see. */
  untilStop(hasOutput: Promise<void>): Promise<void>;
  close(): void;
}

/** Tells what happens: on a screen, or as JSON lines. */
export interface Narrator {
  open(opening: Opening): void;
  begin(scene: Scene, place: Place): Promise<void>;
  agent(event: AgentEvent): void;
  runtime(event: RuntimeEvent): void;
  observed(name: SceneName | "log", observation: Observation): void;
  end(report: DemoReport): void;
}

export interface Opening {
  /** What holds the commands, as a sentence. */
  readonly sandbox: string;
}

export interface Place {
  readonly number: number;
  readonly count: number;
  readonly isInvited: boolean;
}

interface DemoReport {
  /** The person left before the end. */
  readonly left: boolean;
  readonly calls: number;
  /** What came of each scene that was played, and of the log. */
  readonly scenes: Readonly<Partial<Record<SceneName | "log", Observation["facts"]>>>;
}

import type { AgentEvent } from "../../../core/agent-events.ts";
import type { Model } from "../../../core/model.ts";
import type { Runtime } from "../../../runtime/create-runtime.ts";
import type { OpenedAgent } from "../../../runtime/open-agent.ts";
import type { Guest } from "./guest.ts";
import type { Pace } from "./pace.ts";
import type { Scene, Taken, Told } from "./scene.ts";
import type { Scratch } from "./scratch.ts";

export interface ScenePlace {
  readonly runtime: Runtime;
  readonly agent: OpenedAgent;
  readonly scratch: Scratch;
  readonly guest: Guest;
  readonly pace: Pace;
  readonly leaving: AbortSignal;
}

/** Sends the prompt of a scene, and records what came of it. */
export async function playScene(place: ScenePlace, scene: Scene, told: Told): Promise<Taken> {
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
export async function openSceneModel(
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

import type { PermitDecision, PermitRequest } from "../../src/core/approval.ts";
import type { Execution } from "../../src/core/call.ts";
import type { RuntimeEvent } from "../../src/core/events.ts";
import type { Resource, Tool, ToolContext, ToolResult } from "../../src/core/tool.ts";
import type { Engine } from "../../src/engine/engine.ts";
import {
  createLatch,
  createRecordingLedger,
  looseTool,
  setUpEngine,
  settleDown,
  type Latch,
  type RecordingLedger,
} from "../support/engine.ts";
import { createLatchTool } from "../support/latch-tool.ts";
import { createManualClock, type ManualClock } from "../support/manual-clock.ts";

/** How everything around one call behaves. */
export interface Script {
  readonly tool: "returns" | "fails" | "throws" | "throws at once" | "waits" | "ignores" | "asks" | "shows progress";
  readonly permit: "allows" | "allows later" | "denies" | "throws" | "rejects" | "hangs" | "says nonsense";
  readonly opened: Recording;
  readonly settled: Recording;
  readonly way: "call" | "batch" | "batch that writes" | "batch that writes everything";
  /** Its caller's signal had fired before the call came. */
  readonly aborted: boolean;
}
type Recording = "at once" | "later" | "rejects" | "throws";
type Gate = "tool" | "permit" | "opened" | "settled" | "answer";

export type Command =
  | { readonly type: "call" } // the next script
  | { readonly type: "tick"; readonly microtasks: number }
  | { readonly type: "turn" }
  | { readonly type: "advance"; readonly ms: number }
  | { readonly type: "cancel" | "abort"; readonly at: number }
  | { readonly type: "abort batch" }
  | { readonly type: "open"; readonly at: number; readonly gate: Gate };

export interface World {
  readonly engine: Engine;
  readonly clock: ManualClock;
  readonly ledger: RecordingLedger;
  readonly events: readonly RuntimeEvent[];
  readonly executions: readonly Execution[];
  readonly signals: readonly AbortSignal[];
  readonly cancels: readonly { readonly id: string; readonly worked: boolean }[];
  obey(command: Command): Promise<void>;
  /** Makes every call that is left, opens every gate and lets time pass until all is settled. */
  finish(): Promise<void>;
  /** How many calls can run at once now. */
  freeSlots(): Promise<number>;
  /** Lets tools that ignored their signal return or throw, long after their calls ended. */
  wakeTheForgotten(): Promise<void>;
}

export function setUpWorld(scripts: readonly Script[], maxParallel: number): World {
  const clock = createManualClock();
  const gates = new Map<string, Latch>();
  const forgotten: Latch[] = [];
  const probe = createLatchTool({ name: "probe" });
  let everythingOpen = false;

  function gate(at: number, name: Gate): Latch {
    const key = `${at} ${name}`;
    const latch = gates.get(key) ?? createLatch();
    gates.set(key, latch);
    if (everythingOpen) latch.open();
    return latch;
  }

  const ledger = createRecordingLedger({
    opened: ({ toolInput }) => record(toolInput, "opened"),
    settled: ({ toolInput }) => record(toolInput, "settled"),
  });
  function record(toolInput: unknown, name: "opened" | "settled"): Promise<void> | undefined {
    const at = placeOf(toolInput);
    const how = at === undefined ? "at once" : scripts[at]![name];
    if (how === "at once") return undefined;
    if (how === "throws") throw new Error("the store threw");
    const later = gate(at!, name).opened;
    return how === "later" ? later : later.then(() => Promise.reject(new Error("the store is full")));
  }

  const { engine, events } = setUpEngine({
    tools: [probe.tool, scriptedTool(scripts, gate, forgotten)],
    clock,
    ledger,
    limits: { maxParallel, defaultTimeoutMs: 500, timeoutMs: {}, idleMs: { scripted: 300 }, maxRetry: 0 },
    permit: (request) => decide(request, scripts, gate),
    async ask(_question, { signal }) {
      await Promise.race([gate(0, "answer").opened, aborted(signal)]);
      return { answered: false, reason: "nobody" };
    },
  });

  const controllers = scripts.map(({ aborted: before }) => {
    const controller = new AbortController();
    if (before) controller.abort();
    return controller;
  });
  const batchController = new AbortController();
  const batch = engine.openBatch({ signal: batchController.signal });
  const ids: string[] = [];
  const made: Promise<Execution>[] = [];
  const executions: Execution[] = [];
  const cancels: { id: string; worked: boolean }[] = [];

  function makeNext(): void {
    const at = made.length;
    const script = scripts[at];
    if (!script) return;
    const call = { tool: "scripted", input: { at }, signal: controllers[at]!.signal };
    if (script.way === "call") {
      const running = engine.call(call);
      ids.push(running.id);
      made.push(running);
    } else {
      const { id, execution } = batch.add(call);
      ids.push(id);
      made.push(execution);
    }
  }

  return {
    engine,
    clock,
    ledger,
    events,
    executions,
    signals: [...controllers.map(({ signal }) => signal), batchController.signal],
    cancels,
    async obey(command) {
      if (command.type === "call") makeNext();
      else if (command.type === "turn") await settleDown();
      else if (command.type === "tick") for (let left = command.microtasks; left > 0; left--) await Promise.resolve();
      else if (command.type === "advance") clock.advance(command.ms);
      else if (command.type === "abort batch") batchController.abort();
      else if (command.type === "open") gate(command.at, command.gate).open();
      else if (command.type === "abort") controllers[command.at]?.abort();
      else if (ids[command.at] !== undefined) {
        const id = ids[command.at]!;
        cancels.push({ id, worked: engine.cancel(id, "Cancelled by the test") });
      }
    },
    async finish() {
      for (let left = scripts.length; left > 0; left--) makeNext();
      everythingOpen = true;
      for (const latch of gates.values()) latch.open();
      await settleDown();
      const all = Promise.all([Promise.all(made), batch.end(), engine.cancelAll("The test is over")]);
      let over = false;
      void all.then(() => (over = true));
      for (let round = 0; round < 20 && !over; round++) {
        await settleDown();
        clock.advance(1000);
      }
      if (!over) throw new Error(`Not settled: ${JSON.stringify(engine.underWay())}`);
      const [one] = await all;
      executions.push(...one);
      await settleDown();
    },
    async freeSlots() {
      for (let at = 0; at < maxParallel + 2; at++) void engine.call({ tool: "probe", input: { name: `probe ${at}` } });
      await settleDown();
      const running = probe.running.size;
      probe.finishAll();
      await engine.cancelAll("Probed");
      return running;
    },
    async wakeTheForgotten() {
      for (const latch of forgotten) latch.open();
      await settleDown();
    },
  };
}

function scriptedTool(scripts: readonly Script[], gate: (at: number, name: Gate) => Latch, forgotten: Latch[]): Tool {
  return looseTool({
    name: "scripted",
    resources(input): readonly Resource[] {
      const { way } = scripts[placeOf(input)!]!;
      if (way === "batch that writes") return [{ kind: "path", path: "shared", access: "write" }];
      return way === "batch that writes everything" ? [{ kind: "everything", access: "write" }] : [];
    },
    run(input, context) {
      const at = placeOf(input)!;
      const { tool } = scripts[at]!;
      if (tool === "throws at once") throw new Error("thrown at once");
      if (tool === "ignores") return ignoreSignal(at, forgotten);
      return followScript(tool, context, gate(at, "tool"));
    },
  });
}

/** Returns or throws when nobody waits for it any more. */
async function ignoreSignal(at: number, forgotten: Latch[]): Promise<ToolResult> {
  const wake = createLatch();
  forgotten.push(wake);
  await wake.opened;
  if (at % 2 === 1) throw new Error("late");
  return { ok: true, output: "late" };
}

async function followScript(
  how: Exclude<Script["tool"], "ignores" | "throws at once">,
  context: ToolContext,
  end: Latch,
): Promise<ToolResult> {
  if (how === "waits" || how === "throws" || how === "shows progress") {
    if (how === "shows progress") context.progress({ message: "under way" });
    await Promise.race([end.opened, aborted(context.signal)]);
  }
  if (how === "asks") await Promise.all([context.ask({ text: "sure?" }), context.ask({ text: "really?" })]);
  if (how === "throws") throw new Error("thrown");
  return how === "fails" ? { ok: false, error: "failed" } : { ok: true, output: "done" };
}

function decide(
  { input }: PermitRequest,
  scripts: readonly Script[],
  gate: (at: number, name: Gate) => Latch,
): PermitDecision | Promise<PermitDecision> {
  const at = placeOf(input);
  const how = at === undefined ? "allows" : scripts[at]!.permit;
  const later = (): Promise<void> => gate(at!, "permit").opened;
  if (how === "throws") throw new Error("the gate broke");
  if (how === "hangs") return new Promise(() => undefined);
  if (how === "rejects") return later().then(() => Promise.reject(new Error("the gate broke later")));
  if (how === "denies") return later().then(() => ({ decision: "deny", reason: "no", by: "person" }));
  if (how === "says nonsense") return { decision: "perhaps" } as never;
  return how === "allows" ? { decision: "allow" } : later().then(() => ({ decision: "allow" }));
}

function placeOf(input: unknown): number | undefined {
  return (input as { readonly at?: number }).at;
}

function aborted(signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (signal.aborted) resolve();
  else signal.addEventListener("abort", () => resolve(), { once: true });
  return promise;
}

import { setImmediate as nextTurn } from "node:timers/promises";
import { z } from "zod";
import { systemClock, type Clock } from "../../src/core/clock.ts";
import { defineTool, type ToolDefinition } from "../../src/core/define-tool.ts";
import { createEventBus, type EventBus } from "../../src/core/event-bus.ts";
import type { EventType, RuntimeEvent } from "../../src/core/events.ts";
import { type Execution, routeStable } from "../../src/core/call.ts";
import type { CallObserver, Ledger } from "../../src/core/call-observer.ts";
import { maskNothing } from "../../src/core/mask.ts";
import { askNobody, permitAll } from "../../src/core/approval.ts";
import type { Replay, Tool } from "../../src/core/tool.ts";
import { createActiveCalls } from "../../src/engine/active-calls.ts";
import { createCatalog } from "../../src/engine/catalog.ts";
import { createEngine, type Engine } from "../../src/engine/engine.ts";
import type { EngineOptions } from "../../src/engine/engine-deps.ts";
import { defaultLimits, type EngineLimits } from "../../src/engine/time-limits.ts";

/** An engine with everything around it that the runtime would hand in, and what it wrote and told. */
export interface EngineUnderTest<UsedClock extends Clock = Clock> {
  readonly engine: Engine;
  readonly bus: EventBus;
  readonly clock: UsedClock;
  readonly ledger: RecordingLedger;
  readonly events: RuntimeEvent[];
  /** Only those of one kind. */
  readonly eventsOf: <Type extends EventType>(type: Type) => RuntimeEvent<Type>[];
}

export interface EngineSetup<UsedClock extends Clock> extends Partial<
  Omit<EngineOptions, "limits" | "clock" | "observers">
> {
  readonly ledger?: RecordingLedger;
  /** After the ledger. */
  readonly observers?: readonly CallObserver[];
  readonly tools?: readonly Tool[];
  readonly limits?: Partial<EngineLimits>;
  readonly clock?: UsedClock;
}

export function setUpEngine<UsedClock extends Clock = Clock>(
  setup: EngineSetup<UsedClock> = {},
): EngineUnderTest<UsedClock> {
  const { tools = [], limits = {}, observers = [], ...given } = setup;
  const clock = (setup.clock ?? systemClock) as UsedClock;
  const bus = createEventBus(clock);
  const events: RuntimeEvent[] = [];
  bus.on("*", (event) => void events.push(event));
  const ledger = setup.ledger ?? createRecordingLedger();
  const engine = createEngine({
    catalog: createCatalog(tools),
    activeCalls: createActiveCalls(),
    workdir: "/",
    env: {},
    owner: null,
    emit: bus.emit,
    observers: [ledger, ...observers],
    permit: permitAll,
    route: routeStable,
    ask: askNobody,
    mask: maskNothing,
    ...given,
    clock,
    limits: { ...defaultLimits, ...limits },
  });
  return {
    engine,
    bus,
    clock,
    ledger,
    events,
    eventsOf: <Type extends EventType>(type: Type) =>
      events.filter((event) => event.type === type) as unknown[] as RuntimeEvent<Type>[],
  };
}

export interface RecordingLedger extends Ledger {
  readonly waitingFor: Execution[];
  readonly openedWith: { readonly execution: Execution; readonly replay: Replay }[];
  readonly settledWith: { readonly execution: Execution; readonly replay: Replay }[];
}

/** A ledger that keeps copies of what it was handed. */
export function createRecordingLedger(answers: Partial<Pick<Ledger, "opened" | "settled">> = {}): RecordingLedger {
  const ledger: RecordingLedger = {
    waitingFor: [],
    openedWith: [],
    settledWith: [],
    waiting: (execution) => void ledger.waitingFor.push({ ...execution }),
    opened(execution, replay) {
      ledger.openedWith.push({ execution: { ...execution }, replay });
      return answers.opened?.(execution, replay);
    },
    settled(execution, replay) {
      ledger.settledWith.push({ execution: { ...execution }, replay });
      return answers.settled?.(execution, replay);
    },
    flush: () => Promise.resolve(),
  };
  return ledger;
}

type LooseDefinition = ToolDefinition<z.ZodObject<Record<never, never>, z.core.$loose>>;

/** A tool that takes any object. Without resources it may touch everything, like any tool that does not say. */
export function looseTool(definition: Partial<LooseDefinition> & Pick<LooseDefinition, "name" | "run">): Tool {
  return defineTool({ description: "For a test.", input: z.looseObject({}), ...definition });
}

export interface Latch {
  readonly opened: Promise<void>;
  open(): void;
}

export function createLatch(): Latch {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
}

/** Lets everything that can happen without time or the outside happen. */
export async function settleDown(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await nextTurn();
}

/** Polls until the condition holds. */
export async function until(condition: () => boolean, what = "the condition"): Promise<void> {
  const deadline = performance.now() + 60_000;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`Waited 60 s in vain for ${what}.`);
    await nextTurn();
  }
}

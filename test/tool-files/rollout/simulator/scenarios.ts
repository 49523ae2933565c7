/** What is going on when a call runs; the same for both arms. */
export interface Moment {
  /** Calls since the canary began. */
  readonly call: number;
  readonly canaryCalls: number;
  /** Drawn once per rollout and once per conversation: when things happen, and what kind of input it is. */
  readonly fate: number;
  readonly kind: number;
}

export interface Behaviour {
  readonly errors: number;
  readonly timeouts?: number;
  readonly slowness?: number;
}

export interface Scenario {
  readonly name: string;
  /** How it has to end; `gone`: rolled back within 1,000 calls after the defect began. */
  readonly end: "promoted" | "not_promoted" | "inconclusive" | "gone";
  readonly stable: (moment: Moment) => Behaviour;
  readonly canary: (moment: Moment) => Behaviour;
  /** Whether what is wrong with the canary has begun. */
  readonly isBroken?: (moment: Moment) => boolean;
  /** `watched`: to the end of the holdback; `everybody`, the default: to the step before it. */
  readonly until?: "everybody" | "watched";
  /** Calls after which a simulation stops (default 20,000). */
  readonly horizon?: number;
  readonly risk?: "low" | "high";
  /** The share of runs that may end otherwise, where 1 % can't be had. */
  readonly mostWrong?: number;
  readonly latencySpread?: number;
  readonly callsPerDay?: number;
  /** The kinds of input that are counted apart. */
  readonly nameKind?: (kind: number) => string;
  /** Calls of stable before the canary came; 1,000 when left out. */
  readonly history?: number;
  /** The share that the router really gives to the canary. */
  readonly bias?: (share: number) => number;
}

const one = { errors: 0.01 };
const always = (behaviour: Behaviour) => () => behaviour;
const failing = (errors: number) => always({ errors });
const during = ({ call, fate }: Moment, length: number) =>
  call >= 100 + fate * 1500 && call < 100 + fate * 1500 + length;

/** A version that behaves exactly as stable does. */
function equal(name: string, behaviour: (moment: Moment) => Behaviour, more: Partial<Scenario> = {}): Scenario {
  return { name, end: "promoted", stable: behaviour, canary: behaviour, ...more };
}

function bad(name: string, canary: (moment: Moment) => Behaviour, stable: Behaviour = one): Scenario {
  return { name, end: "not_promoted", stable: always(stable), canary };
}

export const usualScenarios: readonly Scenario[] = [
  equal("good 0.1 %", failing(0.001)),
  equal("good 1 %", always(one)),
  equal("good 2 %", failing(0.02)),
  equal("good, flaky 6 %", failing(0.06)),
  { name: "better, 6 % to 1 %", end: "promoted", stable: failing(0.06), canary: always(one) },
  equal("good, outage", (moment) => (during(moment, 60) ? { errors: 0.4 } : one)),
  equal("good, clustered", ({ kind }) => ({ errors: kind < 0.02 ? 0.5 : 0.002 })),
  equal("good, heavy tail", always(one), { latencySpread: 1 }),
  equal("good, slow hour", (moment) => ({ ...one, slowness: during(moment, 400) ? 2.5 : 1 })),
  bad("bad 3 %", failing(0.03)),
  bad("bad 5 %", failing(0.05)),
  bad("bad 10 %", failing(0.1)),
  bad("bad 30 %", failing(0.3)),
  bad("bad 0.1 % to 1.9 %", failing(0.019), { errors: 0.001 }),
  bad("bad timeouts 4 %", always({ ...one, timeouts: 0.04 })),
  bad("bad p95 + 30 %", always({ ...one, slowness: 1.3 })),
  bad("bad p95 + 100 %", always({ ...one, slowness: 2 })),
  bad("bad leak after 150", ({ canaryCalls }) => ({ errors: canaryCalls > 150 ? 0.3 : 0.01 })),
];

/** Load goes up and down every 700 calls. */
const load = ({ call, fate }: Moment) => 0.5 + 0.5 * Math.sin(2 * Math.PI * (call / 700 + fate));

export const hardScenarios: readonly Scenario[] = [
  // 6 of 1,000 runs: room for chance.
  equal("good, both drift to 4 %", ({ call }) => ({ errors: Math.min(0.04, 0.01 + call * 6e-6) }), {
    mostWrong: 0.015,
  }),
  bad("bad, drifts to 8 %", ({ canaryCalls }) => ({ errors: Math.min(0.08, 0.01 + canaryCalls * 1e-4) })),
  equal("good, fails under load", (moment) => ({ errors: load(moment) > 0.8 ? 0.06 : 0.01 })),
  bad("bad, fails under load", (moment) => ({ errors: load(moment) > 0.8 ? 0.12 : 0.01 })),
  equal("good, bursts", ({ call, fate }) => ({ errors: (call + fate * 500) % 500 < 15 ? 0.5 : 0.01 })),
  {
    ...bad("bad, one kind of input fails", ({ kind }) => ({ errors: kind < 0.05 ? 0.6 : 0.01 })),
    // Before everybody gets the canary, it has seen about ten conversations of this kind.
    mostWrong: 0.1,
    nameKind: (kind) => (kind < 0.05 ? "rare" : `usual ${Math.floor(kind * 3)}`),
  },
  equal("good, four kinds of input", always(one), { nameKind: (kind) => `kind ${Math.floor(kind * 4)}` }),
  bad("bad, one kind of input is slow", ({ kind }) => ({ ...one, slowness: kind < 0.1 ? 4 : 1 })),
  // A tool that nobody called before it was changed.
  equal("good 1 %, new tool", always(one), { history: 0 }),
  { ...bad("bad 3 %, new tool", failing(0.03)), history: 0 },
  { ...bad("bad 1.9 %, new tool", failing(0.019), { errors: 0.001 }), history: 0 },
  equal("few calls a day", always(one), { end: "inconclusive", callsPerDay: 30 }),
  equal("biased routing", always(one), { end: "inconclusive", bias: (share) => Math.min(0.95, share * 2) }),
];

/** Good at first: what is wrong begins after so many canary calls. */
function late(name: string, after: number, errors: number): Scenario {
  const isBroken = ({ canaryCalls }: Moment) => canaryCalls >= after;
  return {
    ...bad(name, (moment) => (isBroken(moment) ? { errors } : one)),
    end: "gone",
    until: "watched",
    isBroken,
  };
}

const watched = { until: "watched" } as const;
const outageLater = ({ call, fate }: Moment) =>
  call > 2000 + fate * 1000 && call < 2060 + fate * 1000 ? { errors: 0.4 } : one;

/** To the end of the holdback: what begins late, and what only looks like it. */
export const lateScenarios: readonly Scenario[] = [
  late("late, 30 % after 300", 300, 0.3),
  late("late, 30 % after 600", 600, 0.3),
  late("late, 30 % after 900", 900, 0.3),
  late("late, 30 % after 1,300", 1300, 0.3),
  late("late, 10 % after 300", 300, 0.1),
  late("late, 10 % after 600", 600, 0.1),
  late("late, 10 % after 900", 900, 0.1),
  equal("good 1 %, watched", always(one), watched),
  equal("good 6 %, watched", failing(0.06), watched),
  // Beside 80 % on the canary, stable has few calls to show that it is no better.
  equal("good, both break at 2,500", ({ call }) => (call > 2500 ? { errors: 0.1 } : one), {
    ...watched,
    mostWrong: 0.02,
  }),
  // 9 of 1,000 runs: room for chance.
  equal("good, outage while watched", outageLater, { ...watched, mostWrong: 0.02 }),
  {
    ...bad("bad, 2 % of the inputs fail half of the time", ({ kind }) => ({ errors: kind < 0.02 ? 0.5 : 0.01 })),
    ...watched,
    nameKind: (kind) => (kind < 0.02 ? "rare" : `usual ${Math.floor(kind * 3)}`),
  },
  equal("good, eight kinds, watched", always(one), { ...watched, nameKind: (kind) => `kind ${Math.floor(kind * 8)}` }),
  equal("good 1 %, high risk", always(one), { risk: "high", horizon: 60_000 }),
  { ...bad("bad 3 %, high risk", failing(0.03)), risk: "high", horizon: 60_000 },
];

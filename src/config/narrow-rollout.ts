import type { PolicySettings, RolloutConfiguration, RolloutSettings } from "./rollout-settings.ts";

/**
 * Of what a folder says about rollouts before it is trusted, the part that only makes them more careful: with canaries instead
 * of without, more to prove, more to agree to. What lets a new version out sooner needs trust.
 */
export function narrowRollout(
  settings: RolloutSettings = {},
  base: RolloutConfiguration,
): { readonly narrowed: RolloutSettings; readonly widening: readonly string[] } {
  const { low, high, replay, tools, ...own } = settings;
  const widening: string[] = [];
  /** Without the keys that widen, which are noted. */
  function keep<Fields extends object>(
    fields: Fields,
    widens: Readonly<Record<string, boolean>>,
    path: string,
  ): Fields {
    const dropped = Object.keys(fields).filter((key) => widens[key]);
    widening.push(...dropped.map((key) => `${path}.${key}`));
    return Object.fromEntries(Object.entries(fields).filter(([key]) => !dropped.includes(key))) as Fields;
  }

  const narrowed: RolloutSettings = keep(
    own,
    {
      mode: own.mode === "off" && base.mode === "canary",
      dry_run: own.dry_run === true && !base.dryRun,
      window: (own.window ?? 0) > base.window,
    },
    "rollout",
  );
  if (replay) {
    const fewer = (replay.calls ?? Infinity) < base.replay.calls;
    const shorter = (replay.timeout_ms ?? Infinity) < base.replay.timeoutMs;
    narrowed.replay = keep(replay, { calls: fewer, timeout_ms: shorter }, "rollout.replay");
  }
  if (low) narrowed.low = keep(low, widenedBy(low, base.low), "rollout.low");
  if (high) narrowed.high = keep(high, widenedBy(high, base.high), "rollout.high");
  if (tools) narrowed.tools = {};
  for (const [name, given] of Object.entries(tools ?? {})) {
    const known = Object.hasOwn(base.tools, name) ? base.tools[name]! : {};
    // Which risk the tool has is not known here, so it has to be stricter than either.
    const [asLow, asHigh] = [base.low, base.high].map((policy) => widenedBy(given, { ...policy, ...known }));
    const widens = Object.fromEntries(Object.keys(given).map((key) => [key, asLow![key]! || asHigh![key]!]));
    const mode = given.mode === "off" && (known.mode ?? base.mode) === "canary";
    const risk = given.risk === "low" && known.risk !== "low";
    narrowed.tools![name] = keep(given, { ...widens, mode, risk }, `rollout.tools.${name}`);
  }
  return { narrowed, widening };
}

const approvals = ["never", "last", "each"];

function widenedBy(given: PolicySettings, base: PolicySettings): Record<string, boolean> {
  const widens: Record<string, boolean> = {};
  for (const [key, value] of Object.entries(given)) {
    const has = base[key as keyof PolicySettings];
    if (typeof value === "number" && typeof has === "number") {
      widens[key] = larger.has(key) ? value < has : value > has;
    } else if (key === "approve") widens[key] = approvals.indexOf(String(value)) < approvals.indexOf(String(has));
    else widens[key] = JSON.stringify(value) !== JSON.stringify(has);
  }
  return widens;
}

/** Of these, more is more careful; of all other numbers, less is. */
const larger = new Set([
  "min_samples",
  "calls",
  "max_canary_calls",
  "holdback_percent",
  "holdback_calls",
  "holdback_days",
  "scheduled_runs",
  "scheduled_days",
]);

import type { CrashLoop, Promotion } from "../../core/stores.ts";
import type { CrashRecord } from "./crash-records.ts";

/** Two can be chance. */
const leastDeaths = 3;
/** A loop whose last death is older is over: somebody stopped it. */
const recentMs = 10 * 60_000;
/** The longest delay between two starts, and some. */
const pauseMs = 2 * 60_000;
/** How long before the first death a promotion may have been to be blamed for it. */
const blameMs = 10 * 60_000;

/**
 * The crash loop that is going on, and the promotion it began with. The first death of a loop is often none that counts:
 * a daemon that had been healthy for days dies of the new version, and only its successors die young. After a version was
 * taken back, only what died since then speaks against another one.
 */
export function findCrashLoop(
  records: readonly CrashRecord[],
  promotions: readonly Promotion[],
  now: number,
): CrashLoop | null {
  const known = records.filter(({ at }) => at <= now).sort((one, other) => one.at - other.at);
  const deaths = takeLoop(known, now);
  const [first] = deaths;
  const counted = deaths.filter((death) => death.counted).length;
  if (!first || counted < leastDeaths) return null;

  const takenBackAt = Math.max(...promotions.map(({ rolledBackAt }) => rolledBackAt ?? Number.NEGATIVE_INFINITY));
  const since = deaths.filter((death) => death.counted && death.startedAt >= takenBackAt).length;
  const candidates = promotions
    .filter(({ at, rolledBackAt }) => rolledBackAt === null && at <= first.at && at >= first.at - blameMs)
    .sort((one, other) => other.at - one.at);
  const promotion = since >= leastDeaths ? (candidates[0] ?? null) : null;
  return { beganAt: first.at, deaths: deaths.length, promotion };
}

/** Back from the newest, as long as one followed the other; with the death that came before the first young one. */
function takeLoop(records: readonly CrashRecord[], now: number): CrashRecord[] {
  const loop: CrashRecord[] = [];
  let nextStart = now;
  for (const record of records.toReversed()) {
    if (nextStart - record.at > (loop.length === 0 ? recentMs : pauseMs)) break;
    loop.unshift(record);
    if (!record.counted) break;
    nextStart = record.startedAt;
  }
  return loop;
}

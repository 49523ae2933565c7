/** Where a share probably lies: what was seen, and 95 % of the credibility around it. */
export interface Interval {
  readonly share: number;
  readonly low: number;
  readonly high: number;
}

/** Of a normal distribution, for 95 %. */
const z = 1.959964;

/**
 * Wilson's interval of `events` among `calls`. Unlike the textbook's it is never empty, also where nothing or everything
 * happened. Null where there were no calls: nothing is known then.
 */
export function shareInterval(events: number, calls: number): Interval | null {
  if (!(calls > 0)) return null;
  const share = events / calls;
  const spread = (z * z) / calls;
  const centre = (share + spread / 2) / (1 + spread);
  const half = (z / (1 + spread)) * Math.sqrt((share * (1 - share)) / calls + spread / (4 * calls));
  return {
    share,
    low: events === 0 ? 0 : Math.max(0, centre - half),
    high: events === calls ? 1 : Math.min(1, centre + half),
  };
}

/** Something that took time; a null end is still under way. */
export interface Span {
  readonly id: string;
  readonly from: number;
  readonly to: number | null;
}

export interface Placed<Of extends Span> {
  readonly span: Of;
  readonly lane: number;
  /** Shares of the window's width. */
  readonly left: number;
  readonly width: number;
}

export interface Lanes<Of extends Span> {
  readonly placed: readonly Placed<Of>[];
  /** How many lanes it takes: the most that ran at once. */
  readonly count: number;
}

/** Puts what overlaps into lanes of its own, as few as can be; what lies outside the window is left out. */
export function layoutLanes<Of extends Span>(
  spans: readonly Of[],
  window: { readonly from: number; readonly to: number },
): Lanes<Of> {
  const length = window.to - window.from;
  const visible = spans
    .filter(({ from, to }) => from <= window.to && (to ?? window.to) >= window.from)
    .toSorted((a, b) => a.from - b.from);
  const ends: number[] = [];
  const placed = visible.map((span) => {
    const end = span.to ?? Number.POSITIVE_INFINITY;
    const free = ends.findIndex((before) => before <= span.from);
    const lane = free === -1 ? ends.length : free;
    ends[lane] = end;
    const left = Math.max(span.from, window.from);
    const right = Math.min(end, window.to);
    return { span, lane, left: (left - window.from) / length, width: Math.max(0, right - left) / length };
  });
  return { placed, count: ends.length };
}

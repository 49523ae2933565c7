/** What a window of calls shows. Rates are shares of `calls`, the last three of those calls that it is known of; null: of none. */
export interface CallFigures {
  readonly calls: number;
  readonly errorRate: number | null;
  readonly timeoutRate: number | null;
  readonly p50: number | null;
  readonly p95: number | null;
  readonly p99: number | null;
  /** Calls that repeated one that had failed. */
  readonly retryRate: number | null;
  /** Outputs that had the form they should have; null for tools that promise none. */
  readonly formatPassRate: number | null;
  /** Calls that the same conversation made again at once, with another input. */
  readonly followUpRate: number | null;
  /** Calls whose result a person corrected. */
  readonly correctionRate: number | null;
}

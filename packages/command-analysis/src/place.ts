/** Where a command would run. Unknown parts stay undefined: nothing is read from this process. */
export interface Place {
  readonly cwd?: string;
  readonly home?: string;
}

import type { Execution } from "./execution.ts";

/** What is taken out of records and events before anything sees them. The caller of the tool gets the raw result. */
export interface Mask {
  execution(execution: Execution): Execution;
  text(text: string): string;
}

export const maskNothing: Mask = { execution: (execution) => execution, text: (text) => text };

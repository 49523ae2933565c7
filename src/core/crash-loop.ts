/** A version of a tool that came to more people, or to all. */
export interface Promotion {
  readonly tool: string;
  /** `name@hash`. */
  readonly version: string;
  readonly at: number;
  /** When it was taken back; null while it is in force. */
  readonly rolledBackAt: number | null;
}

/** A program that dies again and again, soon after each start. */
export interface CrashLoop {
  /** The first of its deaths. */
  readonly beganAt: number;
  readonly deaths: number;
  /** The one that the loop began with, and that is to be taken back; null when none is in question. */
  readonly promotion: Promotion | null;
}

/** Asked once, before any tool is loaded. Null: nothing dies. */
export type FindCrashLoop = (promotions: readonly Promotion[]) => CrashLoop | null;

import type { Approve, Ask } from "../../../core/approval.ts";

/** Whoever sits through the demo: a person at the terminal, or one that is played. */
export interface Guest {
  /** A person: invitations to press something are for them. */
  readonly isPerson: boolean;
  readonly approve: Approve;
  readonly ask: Ask;
  /** Resolves when the next scene may begin. */
  goOn(): Promise<void>;
  /** Resolves when the command that runs is to be stopped; `hasOutput` when there is something to see. */
  untilStop(hasOutput: Promise<void>): Promise<void>;
  close(): void;
}

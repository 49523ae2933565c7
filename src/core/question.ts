export interface Question {
  readonly text: string;
  readonly options?: readonly string[];
  readonly multiple?: boolean;
  /** Besides the options, free text is welcome. */
  readonly other?: boolean;
}

/** An answer is never made up: nobody there, an empty line and a cancel are all "not answered". */
export type Answer =
  | { readonly answered: true; readonly text: string; readonly selected?: readonly string[] }
  | { readonly answered: false; readonly reason: "cancelled" | "empty" | "nobody" };

export type Ask = (
  question: Question,
  asker: { readonly executionId: string; readonly signal: AbortSignal },
) => Promise<Answer>;

/** For runtimes without a person: every question stays open. */
export const askNobody: Ask = () => Promise.resolve({ answered: false, reason: "nobody" });

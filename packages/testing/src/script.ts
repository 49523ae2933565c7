import type { FailureKind, ModelPrice, StopReason, Usage } from "../../../src/core/model.ts";

/** A conversation as the model will have it: what it says, turn by turn. Files say the same in snake_case. */
export interface Script {
  readonly model?: ScriptModel;
  /** A text alone is a turn that says just that. */
  readonly turns: readonly (ScriptTurn | string)[];
  /**
   * `replies` (the default): a request gets the turn that follows the replies it already holds, so a conversation may be
   * resumed, retried and held several times at once. `requests`: each request gets the next turn.
   */
  readonly order?: "replies" | "requests";
  /** After the last turn: fail (the default), begin again, or say the last one again. */
  readonly atEnd?: "fail" | "loop" | "repeat_last";
  /** For every turn that does not say it itself. */
  readonly delayMs?: number;
  readonly pieceMs?: number;
  /** The answer to requests that offer no tools, such as for a title or a summary; they take no turn then. */
  readonly withoutTools?: string;
}

export interface ScriptModel {
  readonly contextTokens?: number;
  readonly maxOutputTokens?: number;
  readonly price?: Partial<ModelPrice>;
  readonly acceptsImages?: boolean;
}

/** Either `thinking`, `text` and `calls`, which come in this order, or `parts`. */
export interface ScriptTurn {
  readonly thinking?: string;
  readonly text?: string;
  readonly calls?: readonly ScriptCall[];
  readonly parts?: readonly ScriptPart[];
  /** Left out: estimated from the lengths of the texts. */
  readonly usage?: Partial<Usage>;
  readonly stop?: StopReason;
  /** Before the first piece. */
  readonly delayMs?: number;
  /** Between pieces of a few words. Left out: each part comes in one piece. */
  readonly pieceMs?: number;
  /** Fails before it succeeds. A turn that has nothing else only fails, and the next one answers. */
  readonly fail?: ScriptFailure;
  /** The first time, the reply ends in the middle of its last part. */
  readonly cut?: boolean;
  readonly expect?: ScriptExpectation;
  /** How many turns in a row this one stands for. */
  readonly times?: number;
}

export interface ScriptCall {
  readonly tool: string;
  /** Any JSON value. */
  readonly input?: unknown;
  /** Instead of `input`: the arguments letter by letter, also such as are not JSON. */
  readonly inputText?: string;
  readonly id?: string;
  readonly pauseMs?: number;
}

/** One of `text`, `thinking` or a call; a part with `pauseMs` alone is silence. */
export interface ScriptPart extends Partial<ScriptCall> {
  readonly text?: string;
  readonly thinking?: string;
  /** What the provider wants back with its thinking. Left out: one is made. */
  readonly signature?: string;
}

export interface ScriptFailure {
  readonly kind?: Exclude<FailureKind, "aborted" | "script">;
  readonly status?: number;
  readonly retryAfterMs?: number;
  readonly message?: string;
  /** How many parts come first. */
  readonly after?: number;
  /** How often, before the turn succeeds; once when left out. */
  readonly times?: number | "always";
}

/** What must have been said since the model's last reply, or the turn fails and says so. */
export interface ScriptExpectation {
  readonly contains?: string | readonly string[];
  readonly toolResult?: string | readonly string[] | ExpectedResult;
}

export interface ExpectedResult {
  readonly tool?: string;
  readonly contains?: string | readonly string[];
  readonly isError?: boolean;
}

import type { ErrorType } from "../../core/errors.ts";
import type { CommandExit } from "../../process/run/run-request.ts";

/** How the process of a tool came to its end, as far as anybody told. */
export interface HostEnd extends CommandExit {
  /** What made us end it; null when it ended by itself. */
  readonly stoppedFor: "cancel" | "check" | "load" | "output" | "garbage" | "close" | null;
  /** It said that it would. */
  readonly exiting: { readonly id: number | null; readonly code: number } | null;
  readonly stderr: string;
}

export interface EndReason {
  readonly error: string;
  readonly errorType: ErrorType;
  readonly hint?: string;
}

/** The sentence for a call that was under way when its process ended. */
export function explainEnd(end: HostEnd, memoryMb: number): EndReason {
  if (end.stoppedFor === "output") {
    return {
      error: "The tool printed without end and was stopped.",
      errorType: "output_limit",
      hint: "Return what matters, and print little.",
    };
  }
  if (end.stoppedFor === "garbage")
    return { error: "The tool wrote into the channel of its host and was stopped.", errorType: "crashed" };
  if (end.stoppedFor !== null) return { error: "The tool was stopped.", errorType: "cancelled" };
  if (outOfMemory.test(end.stderr)) {
    return {
      error: `The tool used more than ${memoryMb} MB of memory and was ended.`,
      errorType: "memory",
      hint: "Work on the data in pieces.",
    };
  }
  if (end.exiting) {
    return {
      error: `The tool ended its own process with exit code ${end.exiting.code}.`,
      errorType: "crashed",
      hint: "Return a result or throw an error; a tool must not call process.exit().",
    };
  }
  const how = end.killedBy ? `was killed by ${end.killedBy}` : `ended with exit code ${end.exitCode}`;
  return { error: `The process of the tool ${how}.`, errorType: "crashed" };
}

/** For a call that only ran in the same process as the one that made it end. */
export const bystander: EndReason = {
  error:
    "The process that this call ran in was ended because of another call of the same tool; how far it came is unknown.",
  errorType: "runtime_lost",
};

const outOfMemory =
  /heap out of memory|Fatal process out of memory|Fatal JavaScript (?:out of memory|invalid size)|FATAL ERROR: .*(?:memory|OOM)/;

import type { Clock } from "../../../core/clock.ts";
import { describeApproval } from "../agent/approve-on-terminal.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { neutralizeLine } from "../../terminal/terminal-text.ts";
import type { Guest } from "./guest.ts";
import { pauseFor, type Pace } from "./pace.ts";

export interface VisitorParts {
  readonly style: Terminal["style"];
  readonly clock: Clock;
  readonly pace: Pace;
  readonly leaving: AbortSignal;
  /** What the visitor is asked, and what they say. */
  readonly show: (text: string) => void;
}

const who = "the demo's visitor";

/** Says yes to a change, no to danger, takes the first of a list, and stops what runs for ever. */
export function createVisitor({ style, clock, pace, leaving, show }: VisitorParts): Guest {
  const think = (): Promise<void> => pauseFor(clock, pace.pauseMs, leaving);
  return {
    isPerson: false,
    async approve(request) {
      show(`\n${describeApproval(request, { styleError: style }).trimEnd()}`);
      await think();
      show(request.isDanger ? "✗ the visitor says no" : "✓ the visitor allows it once");
      return request.isDanger ? { decision: "deny", who } : { decision: "allow", scope: "once", who };
    },
    async ask({ text, options = [] }) {
      const [first] = options;
      show(["", style("bold", neutralizeLine(text)), ...options.map((each, at) => `  ${at + 1} ${each}`)].join("\n"));
      await think();
      if (first === undefined) return { answered: false, reason: "empty" };
      show(`→ the visitor picks 1: ${neutralizeLine(first)}`);
      return { answered: true, text: first, selected: [first] };
    },
    goOn: think,
    async untilStop(hasOutput) {
      await hasOutput;
      await think();
    },
    close() {},
  };
}

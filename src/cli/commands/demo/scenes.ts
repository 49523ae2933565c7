import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { AgentEvent, AgentEventType } from "../../../core/events.ts";
import { formatDuration } from "../../../core/time.ts";
import type { StopProof } from "../../../core/process.ts";
import { roundings } from "./scratch.ts";
import type { Observation, Scene, Taken, Told } from "./play-demo.ts";

function observeReads({ events, executions }: Taken): Observation {
  const early = of(events, "call:added").filter(({ isEarly }) => isEarly).length;
  const replyEnd = of(events, "reply:finished")[0]?.at ?? 0;
  const lastEnd = Math.max(0, ...executions.map(({ completedAt }) => completedAt ?? 0));
  const wasBefore = executions.length > 0 && lastEnd <= replyEnd;
  const when = wasBefore
    ? `the last one was done ${formatDuration(replyEnd - lastEnd)} before the reply ended`
    : "this machine was busy, and the reply ended first";
  return {
    sentences: [`${early} of ${executions.length} reads started while the model was still talking; ${when}.`],
    facts: { calls: executions.length, early, doneBeforeReplyEnded: wasBefore, overlapped: overlap(executions) },
  };
}

/** Was one of them under way while another was? */
function overlap(executions: Taken["executions"]): boolean {
  return executions.some((one) =>
    executions.some(
      (other) => one !== other && one.startedAt! <= other.startedAt! && other.startedAt! <= (one.completedAt ?? 0),
    ),
  );
}

function observeQuestion({ told: { rounding } }: Taken): Observation {
  const sentence =
    rounding === null
      ? "Nobody answered, and the model was told just that."
      : `The answer is “${rounding}”, and the model did not choose it. The next step follows it.`;
  return { sentences: [sentence], facts: { selected: rounding } };
}

async function observeEdit({ executions, events, workdir }: Taken): Promise<Observation> {
  const text = await readFile(join(workdir, "src", "price.js"), "utf8");
  const [edit, tests] = executions;
  const isChanged = edit?.state === "completed";
  const sentence = isChanged
    ? "The file was written after the yes, and what it was before is kept: in a conversation, /undo puts it back."
    : "You did not allow it, and the file is as it was. So the tests still fail, whatever the model says.";
  const facts = { decision: edit?.permission?.decision ?? null, by: edit?.permission?.by ?? null, text };
  return { sentences: [sentence], facts: { ...facts, tests: tests?.state ?? null, ...evidenceOf(events) } };
}

async function observeDanger({ executions, workdir }: Taken): Promise<Observation> {
  const [call] = executions;
  const backups = (await readdir(join(workdir, "backups")).catch(() => [])).length;
  const ran = call !== undefined && call.runPhase !== "not_started";
  const sentence = ran
    ? "You said yes, so it ran, and the log has your yes. (It was a scratch folder. Good that it was.)"
    : `It never ran: backups/ still has its ${backups} files. The model was told no, and the log has it.`;
  const { state, errorType, permission } = call ?? { state: null, errorType: null, permission: null };
  const dangers = permission?.dangers ?? [];
  return { sentences: [sentence], facts: { state, errorType, dangers, ran, backups } };
}

function observeCancel({ executions }: Taken): Observation {
  const [call] = executions;
  const { state = null, stopProof = null, killed = [], survivors = [] } = call ?? {};
  const took = call?.durationMs === null || call === undefined ? "" : ` after ${formatDuration(call.durationMs)}`;
  const ended = killed.length === 1 ? "1 process was ended" : `${killed.length} processes were ended`;
  const left = survivors.length === 0 ? "none is left" : `${survivors.length} could not be ended`;
  return {
    sentences: [
      `${state === "cancelled" ? `Stopped${took}` : `It ended as ${state}`}: ${ended}, ${left}.`,
      ...(stopProof === null ? [] : [`Proof: ${proofs[stopProof]}.`]),
    ],
    facts: { state, stopProof, killed, survivors },
  };
}

const proofs: Readonly<Record<StopProof, string>> = {
  namespace: "the kernel took every process with the namespace that held them",
  marker: "no process on this machine carries the command's marker any more",
  group: "no process is left in the command's group and tree",
  cooperative: "the call returned after it was told to stop",
  none: "there is none; it may still be running",
};

function observeEvidence({ events }: Taken): Observation {
  const evidence = evidenceOf(events);
  const named = evidence.unmatched.join(", ");
  const sentence =
    named === ""
      ? "Every claim of the answer has its call."
      : `No call shows ${named}. The answer is compared with what was run, by rules and without a model.`;
  return { sentences: [sentence], facts: evidence };
}

function evidenceOf(events: Taken["events"]): Pick<AgentEvent<"evidence:checked">, "claims" | "matched" | "unmatched"> {
  const { claims = 0, matched = 0, unmatched = [] } = of(events, "evidence:checked").at(-1) ?? {};
  return { claims, matched, unmatched };
}

function of<Type extends AgentEventType>(events: Taken["events"], type: Type): EventOf<Type>[] {
  return events.filter((event): event is EventOf<Type> => event.type === type);
}

type EventOf<Type> = Extract<AgentEvent, { readonly type: Type }>;

/** The reply goes on for so long after its calls were named. */
const replyTailMs = 700;

export const scenes: readonly Scene[] = [
  {
    name: "reads",
    title: "Reads run side by side, before the reply has ended",
    caption:
      "The model asks for three files in one reply. Each read starts the moment its arguments are complete: look for the word “early”.",
    prompt: "Three sweets at 0.10 come to 0.30000000000000004. Where is that from?",
    turns: () => [
      {
        parts: [
          { text: "I'll look at the price, the receipt and their tests.\n" },
          read("src/price.js"),
          read("src/receipt.js"),
          read("test/receipt.test.js"),
          { pause_ms: replyTailMs },
          { text: "The reply is still being written, and the files are already here." },
        ],
      },
      "`lineTotal` in `src/price.js` multiplies and never rounds, and floating-point numbers can't hold 0.1. " +
        "`src/receipt.js` only adds up what it gets.",
    ],
    observe: observeReads,
  },
  {
    name: "question",
    title: "It asks instead of guessing",
    caption: "What only you know, the model asks with a list. It never answers itself.",
    invitation: "Pick one with the arrow keys or its number.",
    prompt: "How would you fix it?",
    turns: () => [
      {
        text: "There is more than one right way, so I'd rather ask.",
        calls: [
          {
            tool: "ask_user",
            input: {
              question: "How should a line of the receipt be rounded?",
              options: roundings.map(({ label }) => label),
            },
          },
        ],
      },
      "Good, that decides it. It is one line in `src/price.js`.",
    ],
    observe: observeQuestion,
  },
  {
    name: "edit",
    title: "Changes are shown before they are made",
    caption: "An edit is shown as a diff and needs a yes. The tests need none: a rule of this demo allows commands.",
    invitation: "Press y to allow it once.",
    prompt: "Do it, and run the tests.",
    turns: (told) => [
      { text: "One line changes:", calls: [editPrice(told)] },
      { calls: [bash("node --test")] },
      "`src/price.js` rounds now. I ran `node --test`: 3 tests passed, 0 failed.",
    ],
    observe: observeEdit,
  },
  {
    name: "danger",
    title: "Danger needs a person",
    caption:
      "The same rule allows every command. A dangerous one is asked about all the same: no rule, no mode and no “always” removes that.",
    invitation: "Say no: type no and press Enter.",
    prompt: "Make some room on this disk.",
    turns: () => [
      { text: "The backups look old to me.", calls: [bash("rm -rf backups")] },
      "Understood: whether backups may go is for you to say.",
    ],
    observe: observeDanger,
  },
  {
    name: "cancel",
    title: "Stopped means stopped",
    caption: "This command would run for ever, and its helper ignores the request to end.",
    invitation: "Press Ctrl-C when you have seen enough; after a while it is stopped for you.",
    prompt: "Run the soak test.",
    turns: () => [{ calls: [bash("sh soak.sh")] }, "Stopped, as you wished."],
    isStopped: true,
    observe: observeCancel,
  },
  {
    name: "evidence",
    title: "The log counts, not the sentence",
    caption: "The model sums up, and claims something that it never did. Look at the line that begins with “evidence”.",
    prompt: "Check everything once more, and sum up.",
    turns: () => [
      { calls: [bash("node --test")] },
      "All done:\n\n" +
        "- I ran `node --test`: 3 tests passed.\n" +
        "- I ran `npm run lint`, and it found nothing.\n\n" +
        "Ready to be released.",
    ],
    observe: observeEvidence,
  },
];

function read(path: string): unknown {
  return { tool: "read", input: { file_path: path } };
}

function bash(command: string): unknown {
  return { tool: "bash", input: { command } };
}

function editPrice({ rounding }: Told): unknown {
  const { code } = roundings.find(({ label }) => label === rounding) ?? roundings[0];
  return {
    tool: "edit",
    input: { file_path: "src/price.js", old_string: "return price * count;", new_string: `return ${code};` },
  };
}

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { AgentEvent, AgentEventType } from "../../../core/agent-events.ts";
import type { StopProof } from "../../../core/stop-report.ts";
import { formatDuration } from "../../../core/format-time.ts";
import type { Observation, Taken } from "./scene.ts";

export function observeReads({ events, executions }: Taken): Observation {
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

export function observeQuestion({ told: { rounding } }: Taken): Observation {
  const sentence =
    rounding === null
      ? "Nobody answered, and the model was told just that."
      : `The answer is “${rounding}”, and the model did not choose it. The next step follows it.`;
  return { sentences: [sentence], facts: { selected: rounding } };
}

export async function observeEdit({ executions, events, workdir }: Taken): Promise<Observation> {
  const text = await readFile(join(workdir, "src", "price.js"), "utf8");
  const [edit, tests] = executions;
  const isChanged = edit?.state === "completed";
  const sentence = isChanged
    ? "The file was written after the yes, and what it was before is kept: in a conversation, /undo puts it back."
    : "You did not allow it, and the file is as it was. So the tests still fail, whatever the model says.";
  const facts = { decision: edit?.permission?.decision ?? null, by: edit?.permission?.by ?? null, text };
  return { sentences: [sentence], facts: { ...facts, tests: tests?.state ?? null, ...evidenceOf(events) } };
}

export async function observeDanger({ executions, workdir }: Taken): Promise<Observation> {
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

export function observeCancel({ executions }: Taken): Observation {
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

export function observeEvidence({ events }: Taken): Observation {
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

import { useEffect, useState } from "preact/hooks";
import { pathTo, withQuery } from "../../api/query.ts";
import { getJson, isAbort, isAway, sentenceOf } from "../../api/request.ts";
import type { TaskOutput } from "../../api/types.ts";
import { listen } from "../../state/live.ts";
import { createPace } from "../../state/pace.ts";
import { appendOutput, noOutput, type KeptOutput } from "./append-output.ts";

const paceMs = 300;
/** A task of another process is told of by nobody. */
const lookMs = 3000;

/** What a task has printed, piece by piece as it comes, until there is no more. */
export function useTaskOutput(id: string): KeptOutput & { readonly error: string | undefined } {
  const [kept, setKept] = useState<KeptOutput>(noOutput);
  const [error, setError] = useState<string | undefined>(undefined);
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    let state = noOutput;
    let isReading = false;
    const read = async () => {
      if (isReading || state.isDone) return;
      isReading = true;
      try {
        let piece: TaskOutput;
        do {
          const known = { from: state.to, answer_tag: state.answerTag };
          piece = await getJson<TaskOutput>(withQuery(pathTo("api", "tasks", id, "output"), known), { signal });
          state = appendOutput(state, piece);
          setKept(state);
          setError(undefined);
        } while (!piece.done && piece.to > piece.from && !signal.aborted);
      } catch (thrown) {
        if (!isAbort(thrown) && !isAway(thrown)) setError(sentenceOf(thrown));
      } finally {
        isReading = false;
      }
    };
    const pace = createPace(paceMs, () => void read());
    const stops = [
      listen("task_progress", ({ task_id: of }) => {
        if (of === id) pace.ask();
      }),
      listen("changed", (topic) => {
        if (topic === null || topic === "tasks") pace.ask();
      }),
    ];
    const timer = setInterval(() => pace.ask(), lookMs);
    pace.ask();
    return () => {
      controller.abort();
      clearInterval(timer);
      pace.stop();
      for (const stop of stops) stop();
    };
  }, [id]);
  return { ...kept, error };
}

import { useEffect, useState } from "preact/hooks";
import { isAbort, postJson, sentenceOf } from "../../api/request.ts";
import { formatInZone, isSameTime } from "./describe-job.ts";
import { writtenTimes, type JobDraft } from "./job-draft.ts";
import type { DueTime } from "./types.ts";

type Answer = { readonly times: readonly DueTime[]; readonly zone: string | undefined } | { readonly problem: string };

const shown = 5;
/** Somebody is still typing. */
const settleMs = 250;

/** The next five times of what stands in the form, or what is wrong with it. */
export function SchedulePreview({ draft }: { readonly draft: JobDraft }) {
  const isEmpty = draft[draft.when].trim() === "";
  const written = JSON.stringify(writtenTimes(draft));
  const [answer, setAnswer] = useState<Answer>({ times: [], zone: undefined });
  // Kept with the times that come for it: half a name, as it is being typed, is no zone, and no clock can be shown in it.
  const zone = draft.when === "every" || draft.timeZone === "" ? undefined : draft.timeZone;
  useEffect(() => {
    if (isEmpty) return undefined;
    const stop = new AbortController();
    const timer = setTimeout(() => {
      postJson<{ readonly next: readonly DueTime[] }>("/api/schedule/preview", JSON.parse(written), {
        signal: stop.signal,
      }).then(
        ({ next }) => setAnswer({ times: next.slice(0, shown), zone }),
        (thrown: unknown) => {
          if (!isAbort(thrown)) setAnswer({ problem: sentenceOf(thrown) });
        },
      );
    }, settleMs);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [written, zone, isEmpty]);
  return (
    <div class="preview" role="status" aria-label="Next times">
      {isEmpty ? (
        <p class="muted">Its next times stand here.</p>
      ) : "problem" in answer ? (
        <p class="field-error">{answer.problem}</p>
      ) : (
        <ol class="times">
          {answer.times.map(({ at, note }) => (
            <li key={at}>
              <time dateTime={at}>{formatInZone(at, answer.zone)}</time>
              {isSameTime(at, answer.zone) ? null : <span class="muted">{formatInZone(at)} here</span>}
              {note === null ? null : <span class="muted">{note}</span>}
            </li>
          ))}
        </ol>
      )}
    </div>
  );
}

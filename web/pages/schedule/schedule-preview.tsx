import { useEffect, useState } from "preact/hooks";
import { isAbort, postJson, sentenceOf } from "../../api/request.ts";
import { formatInZone, isSameTime } from "./describe-job.ts";
import { writtenTimes, type JobDraft } from "./job-draft.ts";
import type { DueTime } from "./types.ts";

const shown = 5;
/** Somebody is still typing. */
const settleMs = 250;

/** The next five times of what stands in the form, or what is wrong with it. */
export function SchedulePreview({ draft }: { readonly draft: JobDraft }) {
  const written = JSON.stringify({ when: writtenTimes(draft), time_zone: draft.timeZone });
  const [answer, setAnswer] = useState<{ readonly times: readonly DueTime[] } | { readonly problem: string }>({
    times: [],
  });
  useEffect(() => {
    const stop = new AbortController();
    const timer = setTimeout(() => {
      postJson<{ readonly next: readonly DueTime[] }>("/api/schedule/preview", JSON.parse(written), {
        signal: stop.signal,
      }).then(
        ({ next }) => setAnswer({ times: next.slice(0, shown) }),
        (thrown: unknown) => {
          if (!isAbort(thrown)) setAnswer({ problem: sentenceOf(thrown) });
        },
      );
    }, settleMs);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [written]);
  return (
    <div class="preview" role="status" aria-label="Next times">
      {"problem" in answer ? (
        <p class="field-error">{answer.problem}</p>
      ) : (
        <ol class="times">
          {answer.times.map(({ at, note }) => (
            <li key={at}>
              <time dateTime={at}>{formatInZone(at, draft.when === "every" ? undefined : draft.timeZone)}</time>
              {draft.when === "every" || isSameTime(at, draft.timeZone) ? null : (
                <span class="muted">{formatInZone(at)} here</span>
              )}
              {note === null ? null : <span class="muted">{note}</span>}
            </li>
          ))}
        </ol>
      )}
    </div>
  );
}

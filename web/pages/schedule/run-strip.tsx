import { Icon } from "../../components/icon.tsx";
import { formatInZone, markOf, summarizeRuns } from "./describe-job.ts";
import type { Run } from "./types.ts";

const mostDots = 40;

/** The last runs as a row of signs, oldest first; each has a shape of its own, and the line under it says the same. */
export function RunStrip({ runs }: { readonly runs: readonly Run[] }) {
  const shown = runs.slice(0, mostDots).toReversed();
  return (
    <div class="strip">
      <div class="strip-dots" aria-hidden="true">
        {shown.map((run) => {
          const { icon, tone, word } = markOf(run.state);
          return (
            <span key={run.id} class={`strip-dot ${tone}`} title={`${formatInZone(run.due_at)}: ${word}`}>
              <Icon name={icon} />
            </span>
          );
        })}
      </div>
      <p class="muted">{summarizeRuns(runs)}</p>
    </div>
  );
}

import { useState } from "preact/hooks";
import { Button } from "../../components/button.tsx";
import { Ago } from "../../components/time.tsx";
import { useRight } from "../../state/status.ts";
import { earlierOf, goBackTo } from "./orders.ts";
import { OrderDialog } from "./rollout-orders.tsx";
import type { Release, RolloutView } from "./types.ts";

/** Whoever wants an older one asks for it. */
const shownAtFirst = 5;

/** The versions that were stable, newest first, each with the way back to it. */
export function EarlierVersions({ view, release }: { readonly view: RolloutView; readonly release: Release }) {
  const [chosen, setChosen] = useState<string | undefined>(undefined);
  const [isWhole, setWhole] = useState(false);
  const mayApprove = useRight("approve");
  const all = earlierOf(release);
  if (all.length === 0) return null;
  const shown = isWhole ? all : all.slice(0, shownAtFirst);
  return (
    <>
      <p class="after">Stable before:</p>
      <ul class="plain-list earlier" aria-label="Stable before">
        {shown.map(({ hash, until, isOut }) => (
          <li key={hash}>
            <code>{hash.slice(0, 12)}</code>
            <span class="muted">
              until <Ago at={until} />
              {isOut ? ", rolled back" : ""}
            </span>
            {mayApprove ? (
              <Button
                kind="quiet"
                label={`Go back to this version: ${hash.slice(0, 12)}`}
                onClick={() => setChosen(hash)}
              >
                Go back to this version…
              </Button>
            ) : null}
          </li>
        ))}
      </ul>
      {all.length > shown.length ? <Button onClick={() => setWhole(true)}>Show all {all.length}</Button> : null}
      {chosen === undefined ? null : (
        <OrderDialog tool={view.tool} order={goBackTo(view, chosen)} onClose={() => setChosen(undefined)} />
      )}
    </>
  );
}

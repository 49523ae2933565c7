import { Section } from "../../components/page.tsx";
import { Ago } from "../../components/time.tsx";
import { showLine } from "../../format/show-controls.ts";
import { shortHash } from "./rollout-state.tsx";
import type { RolloutEvent } from "./types.ts";

/** What became of its versions, newest first. */
export function RolloutHistory({ events }: { readonly events: readonly RolloutEvent[] }) {
  if (events.length === 0) return null;
  return (
    <Section title="History">
      <ol class="history">
        {events.map((event) => (
          <li key={event.id}>
            <span class="history-head">
              <strong>{event.type.replaceAll("_", " ")}</strong>
              {event.version === null ? null : <code>{shortHash(event.version)}</code>}
              <span class="muted">
                by {event.by === "person" ? (event.who ?? "a person") : event.by === "rule" ? "the rule" : "an edit"},{" "}
                <Ago at={event.at} />
              </span>
            </span>
            <span>{showLine(event.reason)}</span>
          </li>
        ))}
      </ol>
    </Section>
  );
}

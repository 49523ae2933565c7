import { withQuery } from "../../api/query.ts";
import type { List, SessionItem } from "../../api/types.ts";
import { Empty, Notice } from "../../components/notice.tsx";
import { Section } from "../../components/page.tsx";
import { Ago } from "../../components/time.tsx";
import { countOf } from "../../format/amount.ts";
import { showLine } from "../../format/show-controls.ts";
import { Link } from "../../router/link.tsx";
import { useResource } from "../../state/use-resource.ts";

/** The conversations of this folder, the latest first. */
export function Sessions() {
  const { data, error } = useResource<List<SessionItem>>("/api/sessions?limit=8", {
    topics: ["sessions"],
    everyMs: 30_000,
  });
  return (
    <Section title="Sessions">
      {error === undefined ? null : <Notice tone="bad">{error}</Notice>}
      {data?.items.length === 0 ? <Empty title="No conversation yet.">Start one with deckhand.</Empty> : null}
      {data === undefined || data.items.length === 0 ? null : (
        <ul class="rows">
          {data.items.map((session) => (
            <li key={session.id} class="row session">
              <p class="session-title" title={session.id}>
                {titleOf(session)}
              </p>
              <p class="row-side">
                {session.is_open ? <span class="tag accent">open</span> : <Ago at={session.updated_at} />} ·{" "}
                {countOf(session.prompts, "prompt")} · {countOf(session.calls, "call")}
              </p>
              <p class="row-side ellipsis" title={session.model}>
                {showLine(shortModel(session.model))}
              </p>
              <p class="session-links">
                <Link href={withQuery("/log", { conversation: session.id })} label={`Log of ${titleOf(session)}`}>
                  Log
                </Link>
                <Link href={withQuery("/log", { evidence: session.id })} label={`Evidence of ${titleOf(session)}`}>
                  Evidence
                </Link>
              </p>
              {session.problem === null ? null : <p class="bad">{showLine(session.problem)}</p>}
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

function titleOf({ title }: SessionItem): string {
  return showLine(title) || "Untitled";
}

/** Of a model that plays a script the file's name says enough. */
function shortModel(model: string): string {
  return model.replace(/^script:.*\//, "script:");
}

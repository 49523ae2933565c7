import { pathTo } from "../../api/query.ts";
import type { InboxEntry, List } from "../../api/types.ts";
import { RovingList } from "../../components/roving-list.tsx";
import { Section } from "../../components/page.tsx";
import { Ago } from "../../components/time.tsx";
import { Link } from "../../router/link.tsx";
import { useResource } from "../../state/use-resource.ts";
import { titleOf } from "../inbox/title-of.ts";

const mostShown = 4;

/** The first entries of the inbox; nothing when nothing waits. */
export function WaitingForYou() {
  const { data } = useResource<List<InboxEntry>>("/api/inbox?state=waiting", { topics: ["inbox"] });
  const entries = data?.items ?? [];
  if (entries.length === 0) return null;
  return (
    <Section title="Waiting for you" actions={<Link href="/inbox">All {entries.length}</Link>}>
      <RovingList
        label="Waiting for you"
        items={entries.slice(0, mostShown)}
        keyOf={({ id }) => id}
        render={(entry, tabIndex) => (
          <Link href={pathTo("inbox", entry.id)} class="row-link" tabIndex={tabIndex}>
            <span class="row-what">{titleOf(entry)}</span>
            <span class="row-side">
              {entry.approval?.is_danger ? <span class="tag bad">danger</span> : entry.kind} ·{" "}
              <Ago at={entry.created_at} />
            </span>
          </Link>
        )}
      />
    </Section>
  );
}

import { useRef } from "preact/hooks";
import { pathTo } from "../../api/query.ts";
import type { InboxEntry } from "../../api/types.ts";
import { Facts } from "../../components/facts.tsx";
import { Loading, Notice } from "../../components/notice.tsx";
import { StateMark } from "../../components/state-mark.tsx";
import { Ago } from "../../components/time.tsx";
import { showControls } from "../../format/show-controls.ts";
import { Link } from "../../router/link.tsx";
import { useLostFocus } from "../../state/use-lost-focus.ts";
import { useResource } from "../../state/use-resource.ts";
import { ApprovalForm } from "./approval-form.tsx";
import { ApprovalRequest } from "./approval-request.tsx";
import { QuestionForm } from "./question-form.tsx";

interface EntryDetailProps {
  readonly id: string;
  /** As the list has it. */
  readonly known: InboxEntry | undefined;
  readonly onSettled: () => void;
}

/** One question or approval, whole. */
export function EntryDetail({ id, known, onSettled }: EntryDetailProps) {
  const fetched = useResource<InboxEntry>(pathTo("api", "inbox", id), { topics: ["inbox"] });
  const entry = fetched.data ?? known;
  if (entry === undefined) {
    return fetched.error === undefined ? <Loading what="the entry" /> : <Notice tone="bad">{fetched.error}</Notice>;
  }
  return <ShownEntry entry={entry} onSettled={onSettled} />;
}

function ShownEntry({ entry, onSettled }: { readonly entry: InboxEntry; readonly onSettled: () => void }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useLostFocus(heading);
  const { question, approval, origin } = entry;
  const tool = origin?.tool_name ?? approval?.tool_id;
  return (
    <article class="stack" aria-label={entry.kind}>
      <header class="detail-head">
        <h2 ref={heading} tabIndex={-1}>
          {showControls(question?.text ?? approval?.title ?? entry.kind)}
        </h2>
      </header>
      <p class="entry-facts muted">
        <span>
          asked <Ago at={entry.created_at} />
        </span>
        <Asker entry={entry} />
        {tool ? <span>tool {showControls(tool)}</span> : null}
        <Link href={pathTo("calls", entry.execution_id)}>the call that waits</Link>
      </p>
      {approval ? <ApprovalRequest approval={approval} /> : null}
      {entry.state === "waiting" && approval ? (
        <ApprovalForm entry={entry} approval={approval} onSettled={onSettled} />
      ) : null}
      {entry.state === "waiting" && question ? (
        <QuestionForm entry={entry} question={question} onSettled={onSettled} />
      ) : null}
      {entry.state === "waiting" ? null : <Settled entry={entry} />}
    </article>
  );
}

/** The job, or else the way by which the call came, and its conversation. */
function Asker({ entry: { origin, conversation_id: conversation } }: { readonly entry: InboxEntry }) {
  const jobName = origin?.job_name ?? null;
  return (
    <>
      {jobName === null ? null : (
        <span>
          job <Link href={pathTo("schedule", jobName)}>{showControls(jobName)}</Link>
        </span>
      )}
      {jobName === null && origin?.door ? <span>by {origin.door}</span> : null}
      {conversation === null ? null : <span>conversation {showControls(conversation)}</span>}
    </>
  );
}

function Settled({ entry: { state, settlement, settled_at: at } }: { readonly entry: InboxEntry }) {
  const answer = settlement?.answer;
  return (
    <div class="card">
      <Facts
        facts={[
          ["Outcome", <StateMark key="state" state={state} />],
          ["By", settlement?.who && showControls(settlement.who)],
          ["When", at === null ? null : <Ago key="at" at={at} />],
          ["Answer", answer?.answered ? showControls(answer.text) : null],
          ["Holds", settlement?.scope],
          ["Reason", settlement?.reason && showControls(settlement.reason)],
        ]}
      />
    </div>
  );
}

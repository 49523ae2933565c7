import { pathTo } from "../../api/query.ts";
import type { Finding, LogEntry } from "../../api/types.ts";
import { Button } from "../../components/button.tsx";
import { Icon } from "../../components/icon.tsx";
import { Loading, Notice } from "../../components/notice.tsx";
import { showControls } from "../../format/show-controls.ts";
import { useResource } from "../../state/use-resource.ts";
import { AnswerEvidence, type EvidencedAnswer } from "./answer-evidence.tsx";
import { LogLine } from "./log-rows.tsx";
import { tellFinding } from "./verify-badge.tsx";

interface CallEvidence {
  readonly sound: boolean;
  readonly has_intent: boolean;
  readonly has_outcome: boolean;
  readonly lines: readonly {
    readonly segment: string;
    readonly line: number;
    readonly intact: boolean;
    readonly entry: LogEntry;
  }[];
  readonly problems: readonly Finding[];
  readonly doubts: readonly Finding[];
  readonly store_asked: boolean;
  readonly log_is_whole: boolean;
}

type Evidence = CallEvidence | EvidencedAnswer | readonly EvidencedAnswer[];

/** What proves a call, or what an answer says was done against what was done. */
export function EvidencePanel({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const { data, error } = useResource<Evidence>(pathTo("api", "log", "evidence", id));
  return (
    <section class="card evidence" aria-label="Evidence">
      <header class="detail-head">
        <h2>Evidence</h2>
        <code class="muted ellipsis">{showControls(id)}</code>
        <span class="grow" />
        <Button kind="quiet" label="Close the evidence" onClick={onClose}>
          <Icon name="cross" />
        </Button>
      </header>
      {error === undefined ? null : <Notice tone="bad">{error}</Notice>}
      {data === undefined && error === undefined ? <Loading what="the evidence" /> : null}
      {data === undefined ? null : isOfCall(data) ? (
        <OfCall evidence={data} />
      ) : (
        <AnswerEvidence answers={[data].flat()} />
      )}
    </section>
  );
}

function isOfCall(data: Evidence): data is CallEvidence {
  return "sound" in data;
}

function OfCall({ evidence }: { readonly evidence: CallEvidence }) {
  const remarks = [
    ...(evidence.has_intent ? [] : ["Its intent is not in the log."]),
    ...(evidence.has_outcome ? [] : ["Its outcome is not in the log: it still runs, or what became of it is unknown."]),
    ...(evidence.store_asked
      ? []
      : ["The store could not be asked, so it is unknown whether another program added these lines."]),
    ...[...evidence.problems, ...evidence.doubts].map(tellFinding),
    ...(evidence.log_is_whole || !evidence.store_asked || evidence.problems.length > 0
      ? []
      : ["The log has problems elsewhere."]),
  ];
  return (
    <>
      <Notice tone={evidence.sound ? "good" : "bad"}>
        {evidence.sound
          ? "These lines fit their hashes, and the chains of their writers are whole."
          : "This is no sound evidence."}
        {remarks.map((remark) => (
          <p key={remark}>{remark}</p>
        ))}
      </Notice>
      <ol class="evidence-lines">
        {evidence.lines.map(({ segment, line, intact, entry }) => (
          <li key={`${segment}:${line}`}>
            <h3>
              {String(entry["type"]).replaceAll("_", " ")}{" "}
              {intact ? null : <strong class="bad">changed afterwards!</strong>}
            </h3>
            <LogLine id={`${segment}:${line}`} entry={entry} />
          </li>
        ))}
      </ol>
    </>
  );
}

import { pathTo } from "../../api/query.ts";
import { Empty } from "../../components/notice.tsx";
import { StateMark } from "../../components/state-mark.tsx";
import { Ago } from "../../components/time.tsx";
import { showControls } from "../../format/show-controls.ts";
import { Link } from "../../router/link.tsx";

export interface EvidencedAnswer {
  readonly session_id: string;
  readonly answer_id: string;
  readonly at: string;
  readonly text: string;
  readonly report: { readonly claims: readonly Claim[] } | null;
}

interface Claim {
  readonly kind: string;
  readonly text: string;
  readonly verdict: "matched" | "partial" | "unmatched" | "contradicted";
  readonly execution_id: string | null;
  readonly why: string;
}

const tones = { matched: "good", partial: "warn", unmatched: "warn", contradicted: "bad" } as const;
const marks = { matched: "completed", partial: "missed", unmatched: "lost", contradicted: "failed" } as const;

/** Each claim of an answer, and the call that shows it or speaks against it. */
export function AnswerEvidence({ answers }: { readonly answers: readonly EvidencedAnswer[] }) {
  if (answers.length === 0) return <Empty title="It has no answer yet." />;
  return (
    <div class="stack">
      {answers.map(({ answer_id: id, at, text, report }) => (
        <article key={id} class="answer">
          <p class="muted">
            <code>{id}</code> · <Ago at={at} />
          </p>
          <pre class="answer-text">{showControls(text)}</pre>
          {report === null || report.claims.length === 0 ? (
            <p class="muted">It claims nothing that a call could show.</p>
          ) : (
            <ul class="claims">
              {report.claims.map((claim, index) => (
                <li key={index}>
                  <StateMark state={marks[claim.verdict]} tone={tones[claim.verdict]} word={claim.verdict} />
                  <span class="wrap">
                    <code>{showControls(claim.text)}</code> <span class="muted">{showControls(claim.why)}</span>{" "}
                    {claim.execution_id === null ? null : (
                      <Link href={pathTo("calls", claim.execution_id)}>the call</Link>
                    )}
                  </span>
                </li>
              ))}
            </ul>
          )}
        </article>
      ))}
    </div>
  );
}

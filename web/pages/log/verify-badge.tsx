import type { Finding, VerifyReport } from "../../api/types.ts";
import { Button } from "../../components/button.tsx";
import { Icon } from "../../components/icon.tsx";
import { countOf } from "../../format/amount.ts";
import { showControls } from "../../format/show-controls.ts";
import { useResource } from "../../state/use-resource.ts";

/** Whether the log is what it was when it was written, in a sentence. That takes a while: the lines themselves come first. */
export function VerifyBadge({ isReady }: { readonly isReady: boolean }) {
  const { data, error, reload } = useResource<VerifyReport>(isReady ? "/api/log/verify" : null);
  if (error !== undefined) return <span class="verify bad">It could not be verified: {error}</span>;
  if (data === undefined) return <span class="verify">Verifying…</span>;
  return (
    <span class={`verify ${data.ok ? "good" : "bad"}`} role="status">
      <span class="verify-sentence">
        <Icon name={data.ok ? "shield" : "warning"} /> {sentenceOf(data)}
      </span>
      {data.problems.length + data.warnings.length === 0 ? null : (
        <details class="findings">
          <summary>{data.problems.length === 0 ? "Remarks" : "Problems"}</summary>
          <ul>
            {[...data.problems, ...data.warnings].map((finding, index) => (
              <li key={index}>{tellFinding(finding)}</li>
            ))}
          </ul>
        </details>
      )}
      <Button kind="quiet" onClick={reload}>
        Verify again
      </Button>
    </span>
  );
}

function sentenceOf({
  ok,
  lines,
  writers,
  segments,
  heads_checked: heads,
  problem_count: problems,
}: VerifyReport): string {
  if (problems > 0) return `The log is NOT whole: ${countOf(problems, "problem")}.`;
  if (!ok || heads === null) return "The log cannot be verified to its end: the store could not be asked.";
  if (segments === 0) return "There is no log yet.";
  const compared = `${countOf(heads, "end of a chain", "ends of chains")} compared with the store`;
  return `The log is whole: ${countOf(lines, "line")} by ${countOf(writers, "writer")}, ${compared}.`;
}

export function tellFinding({ kind, message, segment, line }: Finding): string {
  const place = segment === null ? "" : `${segment}${line === null ? "" : `:${line}`} `;
  return showControls(`${kind.replaceAll("_", " ")}: ${place}${message}`);
}

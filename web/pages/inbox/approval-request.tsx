import type { InboxEntry } from "../../api/types.ts";
import { Code } from "../../components/code.tsx";
import { Diff } from "../../components/diff.tsx";
import { Notice } from "../../components/notice.tsx";
import { showControls } from "../../format/show-controls.ts";

export type Approval = NonNullable<InboxEntry["approval"]>;

/** What would be done, and why somebody is asked. */
export function ApprovalRequest({ approval }: { readonly approval: Approval }) {
  const { detail, preview, reasons, is_danger: isDanger } = approval;
  return (
    <>
      {reasons.length === 0 ? null : (
        <Notice tone={isDanger ? "bad" : "warn"}>
          {isDanger ? <strong>This is dangerous.</strong> : null}
          <ul>
            {reasons.map((reason) => (
              <li key={reason}>{showControls(reason)}</li>
            ))}
          </ul>
        </Notice>
      )}
      {detail === null ? null : <Code text={detail} label="what would run" />}
      {preview === null || preview.text === "" || preview.text === detail ? null : (
        <p class="wrap preview-text">{showControls(preview.text)}</p>
      )}
      {preview?.diff === undefined ? null : <Diff text={preview.diff} />}
    </>
  );
}

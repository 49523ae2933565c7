import { useState } from "preact/hooks";
import { pathTo } from "../../api/query.ts";
import { postJson } from "../../api/request.ts";
import type { InboxEntry } from "../../api/types.ts";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Field } from "../../components/field.tsx";
import { Icon } from "../../components/icon.tsx";
import { Notice } from "../../components/notice.tsx";
import { showControls } from "../../format/show-controls.ts";
import { announce } from "../../state/announce.ts";
import { tellChanged } from "../../state/live.ts";
import { useShortcut } from "../../state/shortcuts.ts";
import { useRight } from "../../state/status.ts";
import { useAction } from "../../state/use-action.ts";
import type { Approval } from "./approval-request.tsx";

interface ApprovalFormProps {
  readonly entry: InboxEntry;
  readonly approval: Approval;
  readonly onSettled: () => void;
}

const scopeWords = {
  once: "This once",
  conversation: "For the rest of this conversation",
  always: "Always, in this folder",
} as const;

/** Yes or no, and how far a yes reaches. A yes to danger is asked for twice. */
export function ApprovalForm({ entry, approval, onSettled }: ApprovalFormProps) {
  const [scope, setScope] = useState<Approval["scopes"][number]>("once");
  const [reason, setReason] = useState("");
  const [isConfirming, setConfirming] = useState(false);
  const mayApprove = useRight("approve");
  const settle = async (verb: "approve" | "deny", body: object) => {
    await postJson(pathTo("api", "inbox", entry.id, verb), body);
    announce(`${verb === "approve" ? "Approved" : "Denied"}: ${showControls(approval.title)}.`, "good");
    setConfirming(false);
    tellChanged("inbox");
    onSettled();
  };
  const approve = useAction(() => settle("approve", { scope }));
  const deny = useAction(() => settle("deny", reason.trim() === "" ? {} : { reason: reason.trim() }));
  const isBusy = approve.isBusy || deny.isBusy;
  const sayYes = () => (approval.is_danger ? setConfirming(true) : approve.run());
  // A key that is held down was meant for the entry before.
  useShortcut("a", ({ repeat }) => {
    if (mayApprove && !isBusy && !repeat) sayYes();
  });
  useShortcut("d", ({ repeat }) => {
    if (mayApprove && !isBusy && !repeat) deny.run();
  });
  if (!mayApprove) return <Notice>This browser may look, but not approve.</Notice>;
  return (
    <div class="card form">
      {approval.scopes.length > 1 ? (
        <fieldset class="choices">
          <legend>A yes holds</legend>
          {approval.scopes.map((each) => (
            <label key={each} class="choice">
              <input type="radio" name="scope" checked={scope === each} onChange={() => setScope(each)} />
              <span>{scopeWords[each]}</span>
            </label>
          ))}
          {scope === "once" || approval.rules.length === 0 ? null : (
            <p class="muted">
              Adds the {approval.rules.length === 1 ? "rule" : "rules"}{" "}
              {approval.rules.map((rule) => (
                <code key={rule} class="rule">
                  {showControls(rule)}
                </code>
              ))}
            </p>
          )}
        </fieldset>
      ) : null}
      <Field label="Reason for a no" hint="Optional. The agent is told.">
        <input class="input" value={reason} onInput={({ currentTarget }) => setReason(currentTarget.value)} />
      </Field>
      <div class="form-actions">
        <Button kind={approval.is_danger ? "danger" : "primary"} isBusy={isBusy} keys="a" onClick={sayYes}>
          <Icon name="check" />
          {approval.is_danger ? "Approve…" : "Approve"} <kbd aria-hidden="true">a</kbd>
        </Button>
        <Button isBusy={isBusy} keys="d" onClick={deny.run}>
          <Icon name="cross" />
          Deny <kbd aria-hidden="true">d</kbd>
        </Button>
      </div>
      {isConfirming ? (
        <Dialog title="Approve something dangerous?" onClose={() => setConfirming(false)}>
          <div class="form">
            <p class="wrap">{showControls(approval.title)}</p>
            {approval.detail === null ? null : (
              <pre class="confirm-detail" tabIndex={0} role="group" aria-label="what would run">
                {showControls(approval.detail)}
              </pre>
            )}
            <ul class="bad">
              {approval.reasons.map((each) => (
                <li key={each}>{showControls(each)}</li>
              ))}
            </ul>
            <div class="form-actions">
              <Button onClick={() => setConfirming(false)}>Go back</Button>
              <Button kind="danger" isBusy={approve.isBusy} onClick={approve.run}>
                Yes, run it
              </Button>
            </div>
          </div>
        </Dialog>
      ) : null}
    </div>
  );
}

import { useState } from "preact/hooks";
import { pathTo } from "../../api/query.ts";
import { postJson } from "../../api/request.ts";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Field } from "../../components/field.tsx";
import { Notice } from "../../components/notice.tsx";
import { tellChanged } from "../../state/live.ts";
import { useRight } from "../../state/status.ts";
import { useAction } from "../../state/use-action.ts";
import { ordersOf, type Order } from "./orders.ts";
import type { Release, RolloutView } from "./types.ts";

/** What can be said about it now. Each opens a dialog that says what will come of it. */
export function Orders({ view, release }: { readonly view: RolloutView; readonly release: Release }) {
  const [chosen, setChosen] = useState<Order | undefined>(undefined);
  const mayApprove = useRight("approve");
  const orders = ordersOf(view, release);
  if (orders.length === 0) return null;
  if (!mayApprove) return <p class="muted">This sign-in may look, not decide.</p>;
  return (
    <div class="actions">
      {orders.map((order) => (
        <Button key={order.label} kind={order.tone} onClick={() => setChosen(order)}>
          {order.label}…
        </Button>
      ))}
      {chosen === undefined ? null : (
        <OrderDialog tool={view.tool} order={chosen} onClose={() => setChosen(undefined)} />
      )}
    </div>
  );
}

interface OrderDialogProps {
  readonly tool: string;
  readonly order: Order;
  readonly onClose: () => void;
}

/** Says what will come of it, and asks for the reason. */
export function OrderDialog({ tool, order, onClose }: OrderDialogProps) {
  const [reason, setReason] = useState("");
  const isMissing = order.needsReason && reason.trim() === "";
  const give = useAction(async () => {
    const said = reason.trim() === "" ? {} : { reason: reason.trim() };
    await postJson(`/api${pathTo("rollouts", tool, order.path)}`, { ...order.body, ...said });
    tellChanged("rollouts");
    onClose();
  }, `${order.label}: done.`);
  return (
    <Dialog title={`${order.label}: ${tool}`} onClose={onClose}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          if (!isMissing) give.run();
        }}
      >
        <Notice tone={order.tone === "danger" ? "warn" : "plain"}>{order.consequence}</Notice>
        {order.path === "resume" ? null : (
          <Field
            label={order.needsReason ? "Reason" : "Reason (optional)"}
            hint="Kept in the history, for whoever comes next."
          >
            <textarea
              class="textarea"
              rows={2}
              value={reason}
              required={order.needsReason}
              onInput={(event) => setReason(event.currentTarget.value)}
            />
          </Field>
        )}
        <div class="actions">
          <Button kind={order.tone} submits isBusy={give.isBusy} isDisabled={isMissing}>
            {order.label}
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </form>
    </Dialog>
  );
}

import { pathTo } from "../../api/query.ts";
import { postJson, sentenceOf } from "../../api/request.ts";
import { announce } from "../../state/announce.ts";
import { createStore } from "../../state/store.ts";
import { tellChanged } from "../../state/live.ts";

/** Calls that somebody here has told to stop: on every page they are "stopping…" until they have. */
export const stopping = createStore<ReadonlySet<string>>(new Set());

export async function stopCall(id: string): Promise<void> {
  if (stopping.get().has(id)) return;
  stopping.set(new Set(stopping.get()).add(id));
  try {
    const { cancelled } = await postJson<{ cancelled: boolean }>(pathTo("api", "calls", id, "cancel"), {
      reason: "Stopped in the dashboard.",
    });
    if (!cancelled) forget(id);
    announce(cancelled ? "It is being stopped." : "It had already ended.");
  } catch (thrown) {
    forget(id);
    announce(`It was not stopped: ${sentenceOf(thrown)}`, "bad");
  }
  tellChanged("calls");
}

function forget(id: string): void {
  const left = new Set(stopping.get());
  left.delete(id);
  stopping.set(left);
}

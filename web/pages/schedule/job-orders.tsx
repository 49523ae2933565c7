import { useState } from "preact/hooks";
import { pathTo } from "../../api/query.ts";
import { postJson } from "../../api/request.ts";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Icon } from "../../components/icon.tsx";
import { Notice } from "../../components/notice.tsx";
import { navigate } from "../../router/location.ts";
import { tellChanged } from "../../state/live.ts";
import { useRight } from "../../state/status.ts";
import { useAction } from "../../state/use-action.ts";
import type { Job } from "./types.ts";

/** Run now, pause or resume, remove: what this sign-in may. */
export function JobOrders({ job }: { readonly job: Job }) {
  const mayRun = useRight("run");
  const mayApprove = useRight("approve");
  const [isRemoving, setRemoving] = useState(false);
  const order = async (word: "run" | "pause" | "resume"): Promise<void> => {
    await postJson(`/api${pathTo("jobs", job.name, word)}`);
    tellChanged("jobs");
  };
  const run = useAction(() => order("run"), "It is due now.");
  const pause = useAction(() => order("pause"), "Paused: it does not run until somebody resumes it.");
  const resume = useAction(() => order("resume"), "Resumed: what was due meanwhile is skipped.");
  if (!mayRun && !mayApprove) return null;
  return (
    <div class="actions">
      {mayRun ? (
        <Button kind="primary" isBusy={run.isBusy} onClick={run.run}>
          <Icon name="play" />
          Run now
        </Button>
      ) : null}
      {job.paused === null && mayRun ? (
        <Button isBusy={pause.isBusy} onClick={pause.run}>
          <Icon name="pause" />
          Pause
        </Button>
      ) : null}
      {job.paused !== null && mayApprove ? (
        <Button isBusy={resume.isBusy} onClick={resume.run}>
          <Icon name="play" />
          Resume
        </Button>
      ) : null}
      {mayApprove ? (
        <Button kind="danger" onClick={() => setRemoving(true)}>
          Remove…
        </Button>
      ) : null}
      {isRemoving ? <RemoveDialog name={job.name} onClose={() => setRemoving(false)} /> : null}
    </div>
  );
}

function RemoveDialog({ name, onClose }: { readonly name: string; readonly onClose: () => void }) {
  const remove = useAction(async () => {
    // First: a page that stays would ask for a job that is gone. If it can't be removed that is said on the list as well.
    navigate("/schedule");
    await postJson(`/api${pathTo("jobs", name, "remove")}`);
    tellChanged("jobs");
  }, "Removed.");
  return (
    <Dialog title={`Remove ${name}`} onClose={onClose}>
      <div class="form">
        <Notice tone="warn">
          It does not run any more, and a run that is under way is asked to end. Its history stays in the log.
        </Notice>
        <div class="actions">
          <Button kind="danger" isBusy={remove.isBusy} onClick={remove.run}>
            Remove
          </Button>
          <Button onClick={onClose}>Keep it</Button>
        </div>
      </div>
    </Dialog>
  );
}

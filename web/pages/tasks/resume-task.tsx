import { useState } from "preact/hooks";
import { pathTo } from "../../api/query.ts";
import { postJson, sentenceOf } from "../../api/request.ts";
import type { Task } from "../../api/types.ts";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Field } from "../../components/field.tsx";
import { navigate } from "../../router/location.ts";
import { tellChanged } from "../../state/live.ts";

/** Goes on with the session of a task that has ended, as a new task. */
export function ResumeTask({ task, onClose }: { readonly task: Task; readonly onClose: () => void }) {
  const [message, setMessage] = useState("");
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const [isBusy, setBusy] = useState(false);
  const resume = async () => {
    if (message.trim() === "") {
      setProblem("Say what it should do next.");
      return;
    }
    setBusy(true);
    try {
      const next = await postJson<Task>(pathTo("api", "tasks", task.id, "resume"), { message });
      tellChanged("tasks");
      onClose();
      navigate(pathTo("tasks", next.id));
    } catch (thrown) {
      setProblem(sentenceOf(thrown));
      setBusy(false);
    }
  };
  return (
    <Dialog title={`Go on with ${task.order.agent}`} onClose={onClose}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          if (!isBusy) void resume();
        }}
      >
        <Field label="Message" error={problem} hint="It still knows what it did before. This becomes a new task.">
          <textarea
            class="textarea"
            rows={5}
            value={message}
            onInput={({ currentTarget }) => setMessage(currentTarget.value)}
          />
        </Field>
        <div class="form-actions">
          <Button kind="primary" submits isBusy={isBusy}>
            Go on
          </Button>
          <Button onClick={onClose}>Not now</Button>
        </div>
      </form>
    </Dialog>
  );
}

import { useState } from "preact/hooks";
import { pathTo } from "../../api/query.ts";
import { postJson, sentenceOf } from "../../api/request.ts";
import type { Agent, List, Task } from "../../api/types.ts";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Field } from "../../components/field.tsx";
import { Loading, Notice } from "../../components/notice.tsx";
import { navigate } from "../../router/location.ts";
import { tellChanged } from "../../state/live.ts";
import { useStatus } from "../../state/status.ts";
import { useResource } from "../../state/use-resource.ts";
import { readOrder, type OrderDraft } from "./read-order.ts";

const emptyDraft: OrderDraft = { agent: "", message: "", model: "", cwd: "", timeout: "", systemPrompt: "" };

/** Hands a job to another agent. */
export function StartTask({ onClose }: { readonly onClose: () => void }) {
  const { data, error } = useResource<List<Agent>>("/api/agents");
  const here = data?.items.filter(({ installed }) => installed) ?? [];
  return (
    <Dialog title="Start a task" onClose={onClose}>
      {error === undefined ? null : <Notice tone="bad">{error}</Notice>}
      {data === undefined && error === undefined ? <Loading what="the agents" /> : null}
      {data !== undefined && here.length === 0 ? (
        <Notice tone="warn">
          No agent is installed on this machine. One way: <kbd>{data.items[0]?.install ?? "deckhand tasks agents"}</kbd>
        </Notice>
      ) : null}
      {here.length > 0 ? <StartForm agents={here} onClose={onClose} /> : null}
    </Dialog>
  );
}

function StartForm({ agents, onClose }: { readonly agents: readonly Agent[]; readonly onClose: () => void }) {
  const [draft, setDraft] = useState<OrderDraft>({ ...emptyDraft, agent: agents[0]!.name });
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const [isBusy, setBusy] = useState(false);
  const workdir = useStatus()?.workdir;
  const write = (change: Partial<OrderDraft>) => setDraft({ ...draft, ...change });
  const start = async () => {
    const order = readOrder(draft);
    if (!order.ok) {
      setProblem(order.problem);
      return;
    }
    setBusy(true);
    try {
      const task = await postJson<Task>("/api/tasks", order.body);
      tellChanged("tasks");
      onClose();
      navigate(pathTo("tasks", task.id));
    } catch (thrown) {
      setProblem(sentenceOf(thrown));
      setBusy(false);
    }
  };
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isBusy) void start();
      }}
    >
      <Field label="Agent">
        <select
          class="select"
          value={draft.agent}
          onChange={({ currentTarget }) => write({ agent: currentTarget.value })}
        >
          {agents.map(({ name, title }) => (
            <option key={name} value={name}>
              {title === name ? name : `${name}: ${title}`}
            </option>
          ))}
        </select>
      </Field>
      <Field label="What it should do">
        <textarea
          class="textarea"
          rows={6}
          value={draft.message}
          onInput={({ currentTarget }) => write({ message: currentTarget.value })}
        />
      </Field>
      <details>
        <summary>More</summary>
        <div class="form more-fields">
          <Field label="Folder" hint={workdir === undefined ? undefined : `Empty: ${workdir}`}>
            <input
              class="input mono"
              value={draft.cwd}
              onInput={({ currentTarget }) => write({ cwd: currentTarget.value })}
            />
          </Field>
          <div class="form-row">
            <Field label="Model" hint="Empty: what the agent uses by itself">
              <input
                class="input"
                value={draft.model}
                onInput={({ currentTarget }) => write({ model: currentTarget.value })}
              />
            </Field>
            <Field label="Limit in seconds">
              <input
                class="input"
                inputMode="numeric"
                value={draft.timeout}
                onInput={({ currentTarget }) => write({ timeout: currentTarget.value })}
              />
            </Field>
          </div>
          <Field label="System prompt">
            <textarea
              class="textarea"
              rows={3}
              value={draft.systemPrompt}
              onInput={({ currentTarget }) => write({ systemPrompt: currentTarget.value })}
            />
          </Field>
        </div>
      </details>
      {problem === undefined ? null : <Notice tone="bad">{problem}</Notice>}
      <div class="form-actions">
        <Button kind="primary" submits isBusy={isBusy}>
          {isBusy ? "Starting…" : "Start"}
        </Button>
        <Button onClick={onClose}>Not now</Button>
      </div>
    </form>
  );
}

import { useState } from "preact/hooks";
import { pathTo } from "../../api/query.ts";
import { postJson, sentenceOf } from "../../api/request.ts";
import type { Agent, List } from "../../api/types.ts";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Field } from "../../components/field.tsx";
import { Notice } from "../../components/notice.tsx";
import { showLine } from "../../format/show-controls.ts";
import { navigate } from "../../router/location.ts";
import { announce } from "../../state/announce.ts";
import { tellChanged } from "../../state/live.ts";
import { useResource } from "../../state/use-resource.ts";
import { emptyJob, writtenJob, type JobDraft } from "./job-draft.ts";
import { SchedulePreview } from "./schedule-preview.tsx";
import { Suggestions } from "./suggestions.tsx";

export type ChangeJob = (change: Partial<JobDraft>) => void;

const localZone = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** A form for a new job; its next times are shown while it is written. */
export function AddJob({ onClose }: { readonly onClose: () => void }) {
  const [draft, setDraft] = useState(() => emptyJob(localZone));
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const [isBusy, setBusy] = useState(false);
  const [warnings, setWarnings] = useState<readonly string[]>([]);
  const change: ChangeJob = (changes) => setDraft((before) => ({ ...before, ...changes }));
  const show = (): void => navigate(pathTo("schedule", draft.name.trim()));
  const add = async (): Promise<void> => {
    const written = writtenJob(draft);
    if ("problem" in written) {
      setProblem(written.problem);
      return;
    }
    setBusy(true);
    try {
      const added = await postJson<{ readonly warnings: readonly string[] }>("/api/jobs", written.job);
      tellChanged("jobs");
      announce(`${draft.name.trim()} is scheduled.`, "good");
      if (added.warnings.length === 0) show();
      else setWarnings(added.warnings);
    } catch (thrown) {
      setProblem(sentenceOf(thrown));
      setBusy(false);
    }
  };
  if (warnings.length > 0) return <Warned name={draft.name.trim()} warnings={warnings} onShow={show} />;
  return (
    <Dialog title="Add a job" onClose={onClose}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          if (!isBusy) void add();
        }}
      >
        <Field label="Name">
          <input class="input" value={draft.name} onInput={(event) => change({ name: event.currentTarget.value })} />
        </Field>
        <WhenFields draft={draft} change={change} />
        <SchedulePreview draft={draft} />
        <WhatFields draft={draft} change={change} />
        <Field
          label="May do without asking (optional)"
          hint="One permission rule in each line, such as bash(npm test). Danger asks all the same."
        >
          <textarea
            class="textarea mono"
            rows={2}
            value={draft.allow}
            onInput={(event) => change({ allow: event.currentTarget.value })}
          />
        </Field>
        {problem === undefined ? null : <Notice tone="bad">{problem}</Notice>}
        <div class="actions">
          <Button kind="primary" submits isBusy={isBusy}>
            Add it
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </form>
    </Dialog>
  );
}

interface WarnedProps {
  readonly name: string;
  readonly warnings: readonly string[];
  readonly onShow: () => void;
}

/** It was added, but as things are its runs would not do what was wanted. */
function Warned({ name, warnings, onShow }: WarnedProps) {
  return (
    <Dialog title={`${showLine(name)} is scheduled`} onClose={onShow}>
      <div class="form">
        {warnings.map((warning) => (
          <Notice key={warning} tone="warn">
            {showLine(warning)}
          </Notice>
        ))}
        <div class="actions">
          <Button kind="primary" onClick={onShow}>
            Show the job
          </Button>
        </div>
      </div>
    </Dialog>
  );
}

interface FieldsProps {
  readonly draft: JobDraft;
  readonly change: ChangeJob;
}

function WhenFields({ draft, change }: FieldsProps) {
  return (
    <div class="form-row">
      <Field label="When">
        <select
          class="select"
          value={draft.when}
          onChange={(event) => change({ when: event.currentTarget.value as JobDraft["when"] })}
        >
          <option value="cron">at times of a calendar (cron)</option>
          <option value="every">every so often</option>
          <option value="at">once</option>
        </select>
      </Field>
      {draft.when === "cron" ? (
        <Field label="Cron" hint="minute hour day month weekday">
          <input
            class="input mono"
            value={draft.cron}
            onInput={(event) => change({ cron: event.currentTarget.value })}
          />
        </Field>
      ) : null}
      {draft.when === "every" ? (
        <Field label="Every" hint="90s, 15m, 1h30m, 1d">
          <input
            class="input mono"
            value={draft.every}
            onInput={(event) => change({ every: event.currentTarget.value })}
          />
        </Field>
      ) : null}
      {draft.when === "at" ? (
        <Field label="At">
          <input
            class="input"
            type="datetime-local"
            value={draft.at}
            onInput={(event) => change({ at: event.currentTarget.value })}
          />
        </Field>
      ) : null}
      {draft.when === "every" ? null : (
        <>
          <Field label="Time zone">
            <input
              class="input"
              list="time-zones"
              value={draft.timeZone}
              onInput={(event) => change({ timeZone: event.currentTarget.value })}
            />
          </Field>
          <Suggestions id="time-zones" names={Intl.supportedValuesOf("timeZone")} />
        </>
      )}
    </div>
  );
}

function WhatFields({ draft, change }: FieldsProps) {
  const tools = useResource<List<{ readonly name: string }>>("/api/tools").data?.items ?? [];
  const agents = useResource<List<Agent>>(draft.what === "agent" ? "/api/agents" : null).data?.items ?? [];
  const tool = (
    <>
      <Field label="Tool">
        <input
          class="input"
          list="tool-names"
          value={draft.tool}
          onInput={(event) => change({ tool: event.currentTarget.value })}
        />
      </Field>
      <Suggestions id="tool-names" names={tools.map(({ name }) => name)} />
    </>
  );
  return (
    <>
      <div class="form-row">
        <Field label="What">
          <select
            class="select"
            value={draft.what}
            onChange={(event) => change({ what: event.currentTarget.value as JobDraft["what"] })}
          >
            <option value="tool">call a tool</option>
            <option value="prompt">ask the model</option>
            <option value="agent">start a background agent</option>
            <option value="improve">improve a tool</option>
          </select>
        </Field>
        {draft.what === "tool" || draft.what === "improve" ? tool : null}
        {draft.what === "agent" ? (
          <>
            <Field label="Agent">
              <input
                class="input"
                list="agent-names"
                value={draft.agent}
                onInput={(event) => change({ agent: event.currentTarget.value })}
              />
            </Field>
            <Suggestions id="agent-names" names={agents.map(({ name }) => name)} />
          </>
        ) : null}
      </div>
      {draft.what === "tool" ? (
        <Field label="Input, as JSON">
          <textarea
            class="textarea mono"
            rows={2}
            value={draft.input}
            onInput={(event) => change({ input: event.currentTarget.value })}
          />
        </Field>
      ) : null}
      {draft.what === "prompt" ? (
        <Field label="Prompt">
          <textarea
            class="textarea"
            rows={3}
            value={draft.prompt}
            onInput={(event) => change({ prompt: event.currentTarget.value })}
          />
        </Field>
      ) : null}
      {draft.what === "agent" ? (
        <Field label="Message">
          <textarea
            class="textarea"
            rows={3}
            value={draft.message}
            onInput={(event) => change({ message: event.currentTarget.value })}
          />
        </Field>
      ) : null}
    </>
  );
}

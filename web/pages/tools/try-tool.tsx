import { useState } from "preact/hooks";
import { pathTo } from "../../api/query.ts";
import { postJson, sentenceOf } from "../../api/request.ts";
import type { Call } from "../../api/types.ts";
import { Button } from "../../components/button.tsx";
import { Field } from "../../components/field.tsx";
import { Icon } from "../../components/icon.tsx";
import { Notice } from "../../components/notice.tsx";
import { Section } from "../../components/page.tsx";
import { tellChanged } from "../../state/live.ts";
import { useRight } from "../../state/status.ts";
import {
  draftOf,
  emptyDraft,
  holds,
  kindOf,
  readDraft,
  takesNothing,
  type Draft,
  type Problem,
} from "./schema-form.ts";
import { SchemaField } from "./schema-field.tsx";
import { TriedCall } from "./tried-call.tsx";
import type { ToolDetail } from "./types.ts";

type Written = { readonly as: "form"; readonly draft: Draft } | { readonly as: "json"; readonly text: string };

/** Quick ones are over by then; of the others what they print is shown as it comes. */
const answerWithinMs = 400;

/** A form made from the tool's schema. What it can't show, and whoever likes it better, is written as JSON. */
export function TryTool({ tool }: { readonly tool: ToolDetail }) {
  const schema = tool.input_schema;
  const hasForm = kindOf(schema) === "object";
  const isBare = takesNothing(schema);
  const [written, setWritten] = useState<Written>(() =>
    hasForm ? { as: "form", draft: emptyDraft(schema) } : { as: "json", text: "{}" },
  );
  const [problems, setProblems] = useState<readonly Problem[]>([]);
  const [call, setCall] = useState<Call | undefined>(undefined);
  const [isBusy, setBusy] = useState(false);
  const mayRun = useRight("run");
  if (!mayRun) return null;

  const run = async (): Promise<void> => {
    const read = readWritten(tool, written);
    setProblems(read.problems);
    if (!("value" in read)) return;
    setBusy(true);
    try {
      const body = { input: read.value, wait_ms: answerWithinMs };
      setCall(await postJson<Call>(`/api${pathTo("tools", tool.name, "call")}`, body));
      tellChanged("calls");
    } catch (thrown) {
      setCall(undefined);
      setProblems([{ path: "", message: sentenceOf(thrown) }]);
    } finally {
      setBusy(false);
    }
  };
  const swap = (): void => {
    const read = readWritten(tool, written);
    // Nothing that was typed is lost on the way: what can't be taken along is said, and stays.
    const unread = read.problems.filter(({ isMissing }) => isMissing !== true);
    setProblems(unread);
    if (unread.length > 0) return;
    const value = "value" in read ? read.value : read.partial;
    if (written.as === "form") {
      setWritten({ as: "json", text: JSON.stringify(value, null, 2) });
      return;
    }
    const draft = draftOf(schema, value) ?? emptyDraft(schema);
    const again = readDraft(schema, draft);
    const wrong = again.problems.filter(({ isMissing }) => isMissing !== true);
    if (wrong.length > 0) {
      setProblems(wrong.map(({ path, message }) => ({ path: "", message: `${path}: ${message}` })));
    } else if (holds("value" in again ? again.value : again.partial, value)) {
      setWritten({ as: "form", draft });
    } else {
      setProblems([{ path: "", message: "The form has no fields for all of this." }]);
    }
  };
  const general = problems.filter(({ path }) => path === "");
  return (
    <Section
      title="Try it"
      actions={
        hasForm ? (
          <Button kind="quiet" onClick={swap}>
            {written.as === "form" ? "Write JSON instead" : "Use the form"}
          </Button>
        ) : undefined
      }
    >
      <form
        class="card form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (!isBusy) void run();
        }}
      >
        {written.as === "json" ? (
          isBare && written.text === "{}" ? (
            <p class="muted">It takes no input.</p>
          ) : (
            <Field label="Input, as JSON">
              <textarea
                class="textarea mono"
                rows={6}
                value={written.text}
                onInput={(event) => setWritten({ as: "json", text: event.currentTarget.value })}
              />
            </Field>
          )
        ) : (
          <SchemaField
            property={{ name: "", schema, isRequired: true }}
            path=""
            draft={written.draft}
            problems={problems}
            onChange={(draft) => setWritten({ as: "form", draft })}
          />
        )}
        {general.map(({ message }) => (
          <Notice key={message} tone="bad">
            {message}
          </Notice>
        ))}
        <div class="form-actions">
          <Button kind="primary" submits isBusy={isBusy}>
            <Icon name="play" />
            {isBusy ? "Running…" : "Run"}
          </Button>
          {tool.read_only ? null : <span class="muted">It really runs, with your rights and under the rules.</span>}
        </div>
      </form>
      {call === undefined ? null : <TriedCall key={call.id} answered={call} />}
    </Section>
  );
}

function readWritten(tool: ToolDetail, written: Written): ReturnType<typeof readDraft> {
  if (written.as === "form") return readDraft(tool.input_schema, written.draft);
  try {
    return { value: JSON.parse(written.text) as unknown, problems: [] };
  } catch (thrown) {
    const message = `That is no JSON: ${(thrown as Error).message}`;
    return { partial: undefined, problems: [{ path: "", message }] };
  }
}

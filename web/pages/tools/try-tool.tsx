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
import { draftOf, emptyDraft, kindOf, propertiesOf, readDraft, type Draft, type Problem } from "./schema-form.ts";
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
  const isBare = propertiesOf(schema).length === 0;
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
    if (written.as === "form") {
      const read = readDraft(schema, written.draft);
      setWritten({ as: "json", text: JSON.stringify("value" in read ? read.value : {}, null, 2) });
    } else {
      const read = readWritten(tool, written);
      setProblems(read.problems);
      if ("value" in read) setWritten({ as: "form", draft: draftOf(schema, read.value) ?? emptyDraft(schema) });
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
    return { problems: [{ path: "", message: `That is no JSON: ${(thrown as Error).message}` }] };
  }
}

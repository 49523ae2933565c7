import { useState } from "preact/hooks";
import { pathTo } from "../../api/query.ts";
import { postJson } from "../../api/request.ts";
import type { InboxEntry } from "../../api/types.ts";
import { Button } from "../../components/button.tsx";
import { Field } from "../../components/field.tsx";
import { Notice } from "../../components/notice.tsx";
import { showControls } from "../../format/show-controls.ts";
import { announce } from "../../state/announce.ts";
import { tellChanged } from "../../state/live.ts";
import { useRight } from "../../state/status.ts";
import { useAction } from "../../state/use-action.ts";
import { buildAnswer, chooseOption, type AnswerDraft, type Question } from "./build-answer.ts";

interface QuestionFormProps {
  readonly entry: InboxEntry;
  readonly question: Question;
  readonly onSettled: () => void;
}

/** The answer to a question: text, one of a list, several of it, or something else. */
export function QuestionForm({ entry, question, onSettled }: QuestionFormProps) {
  const [draft, setDraft] = useState<AnswerDraft>({ selected: [], isOther: false, text: "" });
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const mayApprove = useRight("approve");
  const answer = useAction(async () => {
    const built = buildAnswer(question, draft);
    setProblem(built.ok ? undefined : built.problem);
    if (!built.ok) return;
    await postJson(pathTo("api", "inbox", entry.id, "answer"), { answer: built.answer });
    announce("Answered.", "good");
    tellChanged("inbox");
    onSettled();
  });
  if (!mayApprove) return <Notice>This browser may look, but not answer.</Notice>;
  const { options = [], multiple = false, other = false } = question;
  const kind = multiple ? "checkbox" : "radio";
  const hasText = options.length === 0 || (other && draft.isOther);
  return (
    <form
      class="card form"
      onSubmit={(event) => {
        event.preventDefault();
        answer.run();
      }}
    >
      {options.length === 0 ? null : (
        <fieldset class="choices">
          <legend>{multiple ? "Choose any" : "Choose one"}</legend>
          {options.map((option) => (
            <label key={option} class="choice">
              <input
                type={kind}
                name="answer"
                checked={draft.selected.includes(option)}
                onChange={() => setDraft(chooseOption(question, draft, option))}
              />
              <span class="wrap">{showControls(option)}</span>
            </label>
          ))}
          {other ? (
            <label class="choice">
              <input
                type={kind}
                name="answer"
                checked={draft.isOther}
                onChange={() =>
                  setDraft({
                    ...draft,
                    isOther: multiple ? !draft.isOther : true,
                    selected: multiple ? draft.selected : [],
                  })
                }
              />
              <span>Something else</span>
            </label>
          ) : null}
        </fieldset>
      )}
      {hasText ? (
        <Field label="Your answer" hint="Ctrl+Enter sends it.">
          <textarea
            class="textarea"
            rows={3}
            value={draft.text}
            onInput={({ currentTarget }) => setDraft({ ...draft, text: currentTarget.value })}
            onKeyDown={(event) => {
              if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) answer.run();
            }}
          />
        </Field>
      ) : null}
      {problem === undefined ? null : <Notice tone="bad">{problem}</Notice>}
      <div class="form-actions">
        <Button kind="primary" submits isBusy={answer.isBusy}>
          Answer
        </Button>
      </div>
    </form>
  );
}

import { useState } from "preact/hooks";
import { pathTo } from "../../api/query.ts";
import { postJson } from "../../api/request.ts";
import type { Task } from "../../api/types.ts";
import { Button } from "../../components/button.tsx";
import { Code } from "../../components/code.tsx";
import { Facts, type Fact } from "../../components/facts.tsx";
import { Icon } from "../../components/icon.tsx";
import { Loading, Notice } from "../../components/notice.tsx";
import { Output } from "../../components/output.tsx";
import { Section } from "../../components/page.tsx";
import { Ago, Clock, Elapsed } from "../../components/time.tsx";
import { showControls } from "../../format/show-controls.ts";
import { formatDuration } from "../../../src/core/time.ts";
import { announce } from "../../state/announce.ts";
import { tellChanged } from "../../state/live.ts";
import { useRight } from "../../state/status.ts";
import { useAction } from "../../state/use-action.ts";
import { useResource } from "../../state/use-resource.ts";
import { ResumeTask } from "./resume-task.tsx";
import { isOver, TaskMark } from "./task-mark.tsx";
import { useTaskOutput } from "./use-task-output.ts";

/** One task: what was asked, what it does, what it answered. */
export function TaskDetail({ id }: { readonly id: string }) {
  const { data: task, error } = useResource<Task>(pathTo("api", "tasks", id), { topics: ["tasks"] });
  if (error !== undefined) return <Notice tone="bad">{error}</Notice>;
  if (task === undefined) return <Loading what="the task" />;
  return (
    <article aria-label={`Task of ${task.order.agent}`}>
      <header class="detail-head">
        <h2>{task.order.agent}</h2>
        <TaskMark task={task} />
        {task.completed_at === null && task.started_at !== null ? <Elapsed since={task.started_at} /> : null}
        <span class="grow" />
        <TaskActions task={task} />
      </header>
      {task.error === null ? null : (
        <Notice tone={task.state === "cancelled" ? "warn" : "bad"}>{showControls(task.error)}</Notice>
      )}
      <Section title="Asked for">
        <Code text={task.order.message} label="the message" />
      </Section>
      <TaskOutputs task={task} />
      <Section title="Facts">
        <div class="card">
          <Facts facts={factsOf(task)} />
        </div>
      </Section>
    </article>
  );
}

/** Its words, and all that it printed; once where the two are the same. */
function TaskOutputs({ task }: { readonly task: Task }) {
  const { text, to, isCut, error, answer: soFar, errorText } = useTaskOutput(task.id);
  const answer = task.result ?? soFar;
  const isSame = answer.trim() === text.trim();
  const hasAnswer = answer.trim() !== "" && (isOver(task) || !isSame);
  const progress = task.progress === null || isOver(task) ? undefined : showControls(task.progress);
  return (
    <>
      {error === undefined ? null : <Notice tone="bad">{error}</Notice>}
      {hasAnswer ? (
        <Section title={isOver(task) ? "Answer" : "Answer so far"}>
          <Code text={answer} label="the answer" />
        </Section>
      ) : null}
      {hasAnswer && isSame ? null : (
        <Section title={isOver(task) ? "What it did" : "What it does"} about={progress}>
          <Output text={text} bytes={to} isCut={isCut} isLive={!isOver(task)} label="Output of the task" />
        </Section>
      )}
      {errorText.trim() === "" ? null : (
        <Section title="Error output">
          <Code text={errorText} label="the error output" />
        </Section>
      )}
    </>
  );
}

function TaskActions({ task }: { readonly task: Task }) {
  const mayRun = useRight("run");
  const [isResuming, setResuming] = useState(false);
  const cancel = useAction(async () => {
    const { cancelled } = await postJson<{ cancelled: boolean }>(pathTo("api", "tasks", task.id, "cancel"));
    announce(cancelled ? "The task was stopped, with everything it had started." : "The task is being stopped.");
    tellChanged("tasks");
  });
  if (!mayRun) return null;
  const isStopping = cancel.isBusy || task.cancel_reason !== null;
  return (
    <>
      {isOver(task) ? null : (
        <Button kind="danger" isBusy={isStopping} onClick={cancel.run}>
          <Icon name="stop" />
          {isStopping ? "Stopping…" : "Cancel"}
        </Button>
      )}
      {isOver(task) && task.session_id !== null ? (
        <Button onClick={() => setResuming(true)}>
          <Icon name="play" />
          Go on
        </Button>
      ) : null}
      {isResuming ? <ResumeTask task={task} onClose={() => setResuming(false)} /> : null}
    </>
  );
}

function factsOf(task: Task): readonly Fact[] {
  const { order } = task;
  return [
    ["Created", <Ago key="created" at={task.created_at} />],
    ["Started", task.started_at === null ? null : <Clock key="started" at={task.started_at} />],
    ["Ended", task.completed_at === null ? null : <Clock key="ended" at={task.completed_at} />],
    ["Showed life", task.active_at === null || isOver(task) ? null : <Ago key="active" at={task.active_at} />],
    ["Limit", formatDuration(order.timeout_ms)],
    [
      "Folder",
      order.cwd === null ? (
        "the workdir of its worker"
      ) : (
        <span key="folder" class="mono">
          {showControls(order.cwd)}
        </span>
      ),
    ],
    ["Model", order.model],
    ["Arguments", order.args.map(showControls).join(" ")],
    ["System prompt", order.system_prompt === null ? null : showControls(order.system_prompt)],
    ["Session", task.session_id],
    ["Goes on with", order.resume],
    ["Came by", task.door],
    ["Late", task.is_late ? "Reported after the task was declared lost" : null],
    ["Attempt", task.attempt > 1 ? String(task.attempt) : null],
    ["Process", task.process === null || isOver(task) ? null : String(task.process.pid)],
    ["Cancelled", task.cancel_reason === null ? null : showControls(task.cancel_reason)],
    ["Proof of stop", task.stop_proof],
    [
      "Id",
      <span key="id" class="mono">
        {task.id}
      </span>,
    ],
  ];
}

import { useEffect, useState } from "preact/hooks";
import type { PageParams } from "../../app/routes.tsx";
import { pathTo, withQuery } from "../../api/query.ts";
import type { Task } from "../../api/types.ts";
import { Button } from "../../components/button.tsx";
import { Icon } from "../../components/icon.tsx";
import { Empty, Loading, Notice } from "../../components/notice.tsx";
import { Page } from "../../components/page.tsx";
import { Split } from "../../components/split.tsx";
import { listen } from "../../state/live.ts";
import { createPace } from "../../state/pace.ts";
import { useRight } from "../../state/status.ts";
import { usePages } from "../../state/use-pages.ts";
import { useSearch } from "../../router/use-search.ts";
import { StartTask } from "./start-task.tsx";
import { TaskDetail } from "./task-detail.tsx";
import { TaskRows } from "./task-rows.tsx";

const filters = [
  { name: "All", states: "" },
  { name: "Under way", states: "queued,running" },
  { name: "Completed", states: "completed" },
  { name: "Not completed", states: "failed,cancelled,timeout,lost" },
] as const;

/** How far each has come is a line of the list. */
const progressPaceMs = 1000;

/** Jobs that other agents do in the background. */
export function TasksPage({ params }: PageParams) {
  const id = params["id"];
  const [search, change] = useSearch();
  const states = search.get("state") ?? "";
  const tasks = usePages<Task>(withQuery("/api/tasks", { state: states, limit: 50 }), {
    topics: ["tasks"],
    isRemembered: true,
  });
  const { reload } = tasks;
  useEffect(() => {
    const pace = createPace(progressPaceMs, reload);
    const stop = listen("task_progress", pace.ask);
    return () => {
      stop();
      pace.stop();
    };
  }, [reload]);
  const [isStarting, setStarting] = useState(false);
  const mayRun = useRight("run");
  const list = (
    <>
      <div class="segments" role="group" aria-label="Which tasks">
        {filters.map((filter) => (
          <Button key={filter.name} pressed={states === filter.states} onClick={() => change({ state: filter.states })}>
            {filter.name}
          </Button>
        ))}
      </div>
      {tasks.error === undefined ? null : <Notice tone="bad">{tasks.error}</Notice>}
      {tasks.items === undefined && tasks.error === undefined ? <Loading what="tasks" /> : null}
      {tasks.items?.length === 0 ? (
        <Empty title={states === "" ? "No task yet." : "No such task."}>
          A task is a job for another agent, such as Claude Code or Codex, that runs on in the background.
        </Empty>
      ) : null}
      {tasks.items && tasks.items.length > 0 ? (
        <TaskRows tasks={tasks.items} current={id} search={search.toString()} />
      ) : null}
      {tasks.hasMore ? (
        <div class="more">
          <Button isBusy={tasks.isLoadingMore} onClick={tasks.loadMore}>
            Show older ones
          </Button>
        </div>
      ) : null}
    </>
  );
  return (
    <Page
      title="Tasks"
      about="Jobs that other agents do in the background."
      actions={
        mayRun ? (
          <Button kind="primary" onClick={() => setStarting(true)}>
            <Icon name="plus" />
            Start a task
          </Button>
        ) : undefined
      }
    >
      <Split
        list={list}
        detail={id === undefined ? undefined : <TaskDetail key={id} id={id} />}
        showsDetail={id !== undefined}
        back={{ href: withQuery(pathTo("tasks"), { state: states }), name: "All tasks" }}
      />
      {isStarting ? <StartTask onClose={() => setStarting(false)} /> : null}
    </Page>
  );
}

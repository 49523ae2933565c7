import { useEffect } from "preact/hooks";
import { pathTo } from "../../api/query.ts";
import type { CallOutput } from "../../api/types.ts";
import { listen } from "../../state/live.ts";
import { createPace } from "../../state/pace.ts";
import { useResource, type Resource } from "../../state/use-resource.ts";

const paceMs = 300;
/** A call of another process is told of by nobody: its output is looked at now and then. */
const lookMs = 3000;

/** What a call has printed so far, or in all. */
export function useCallOutput(id: string, isRunning: boolean): Resource<CallOutput> {
  const resource = useResource<CallOutput>(pathTo("api", "calls", id, "output"), {
    everyMs: isRunning ? lookMs : null,
  });
  const { reload } = resource;
  useEffect(() => {
    if (!isRunning) {
      reload(); // the last words may have come with the end
      return undefined;
    }
    const pace = createPace(paceMs, reload);
    const stop = listen("progress", ({ execution_id: of }) => {
      if (of === id) pace.ask();
    });
    return () => {
      stop();
      pace.stop();
    };
  }, [id, isRunning, reload]);
  return resource;
}

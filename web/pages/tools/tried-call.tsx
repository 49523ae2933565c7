import { pathTo } from "../../api/query.ts";
import { postJson } from "../../api/request.ts";
import type { Call, CallOutput } from "../../api/types.ts";
import { Button } from "../../components/button.tsx";
import { Json } from "../../components/code.tsx";
import { Icon } from "../../components/icon.tsx";
import { Notice } from "../../components/notice.tsx";
import { Output } from "../../components/output.tsx";
import { StateMark } from "../../components/state-mark.tsx";
import { Elapsed } from "../../components/time.tsx";
import { showControls } from "../../format/show-controls.ts";
import { formatDuration } from "../../../src/core/time.ts";
import { Link } from "../../router/link.tsx";
import { useAction } from "../../state/use-action.ts";
import { useResource } from "../../state/use-resource.ts";

const liveMs = 500;

/** What comes of a call that was just made, while it comes. */
export function TriedCall({ answered }: { readonly answered: Call }) {
  const isOver = isFinal(answered);
  const path = isOver ? null : `/api${pathTo("calls", answered.id)}`;
  const { data } = useResource<Call>(path, { topics: ["calls"], everyMs: liveMs });
  return <Shown call={data ?? answered} />;
}

function Shown({ call }: { readonly call: Call }) {
  const isLive = !isFinal(call);
  const { data: output } = useResource<CallOutput>(`/api${pathTo("calls", call.id, "output")}`, {
    topics: ["calls"],
    everyMs: isLive ? liveMs : null,
  });
  const stop = useAction(() =>
    postJson(`/api${pathTo("calls", call.id, "cancel")}`, { reason: "stopped on the page" }),
  );
  const { result } = call;
  return (
    <div class="stack tried" aria-live="polite">
      <div class="tool-name">
        <StateMark state={stop.isBusy && isLive ? "stopping" : call.state} />
        <span class="muted">
          {isLive && call.started_at !== null ? <Elapsed since={call.started_at} /> : null}
          {call.duration_ms === null ? "" : formatDuration(call.duration_ms)}
        </span>
        <Link href={pathTo("calls", call.id)}>all about this call</Link>
        {isLive ? (
          <Button kind="danger" isBusy={stop.isBusy} onClick={stop.run}>
            <Icon name="stop" />
            Stop
          </Button>
        ) : null}
      </div>
      {call.error === null ? null : <Notice tone="bad">{showControls(call.error)}</Notice>}
      <Output
        label="Result"
        text={isLive ? (output?.text ?? "") : (result?.output ?? output?.text ?? "")}
        isLive={isLive}
        isCut={isLive ? (output?.is_cut ?? false) : false}
        bytes={isLive ? output?.bytes : call.output_bytes}
      />
      {result?.data === undefined || result.data === null ? null : <Json value={result.data} label="Data" />}
    </div>
  );
}

function isFinal({ state }: Call): boolean {
  return state !== "pending" && state !== "running";
}

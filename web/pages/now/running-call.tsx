import { useState } from "preact/hooks";
import { pathTo } from "../../api/query.ts";
import type { Call } from "../../api/types.ts";
import { Button } from "../../components/button.tsx";
import { Icon } from "../../components/icon.tsx";
import { Output } from "../../components/output.tsx";
import { StateMark } from "../../components/state-mark.tsx";
import { Elapsed } from "../../components/time.tsx";
import { summarizeInput } from "../../format/summarize-call.ts";
import { Link } from "../../router/link.tsx";
import { useRight } from "../../state/status.ts";
import { useStore } from "../../state/store.ts";
import { stopCall, stopping } from "./stopping.ts";
import { useCallOutput } from "./use-call-output.ts";

/** A call that is under way: what it does, what it prints, and the way to stop it. */
export function RunningCall({ call, isOpenAtFirst }: { readonly call: Call; readonly isOpenAtFirst: boolean }) {
  const [isOpen, setOpen] = useState(isOpenAtFirst && call.state === "running");
  const name = call.tool_id ?? call.tool_name;
  return (
    <article class="card running" aria-label={`${name}, ${call.state}`}>
      <div class="running-head">
        <CallState call={call} />
        <Link href={pathTo("calls", call.id)} class="row-name">
          {name}
        </Link>
        <span class="muted running-facts">
          <Elapsed since={call.started_at ?? call.created_at} limitMs={call.timeout_ms} />
          {call.door === null ? "" : ` · ${call.door}`}
          {call.route === "canary" ? " · canary" : ""}
        </span>
        <span class="grow" />
        {call.state === "running" ? (
          <Button kind="quiet" expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            Output
            <Icon name={isOpen ? "down" : "right"} />
          </Button>
        ) : null}
        <StopButton call={call} />
      </div>
      <p class="mono wrap running-what">{summarizeInput(call.tool_input)}</p>
      {isOpen ? <LiveOutput call={call} /> : null}
    </article>
  );
}

/** A call that was told to stop says so until it has. */
export function CallState({ call }: { readonly call: Call }) {
  const isStopping = useStore(stopping).has(call.id) && isUnderWay(call);
  const isWaiting = call.state === "pending";
  return <StateMark state={isStopping ? "stopping" : call.state} {...(isWaiting ? { word: "waiting" } : {})} />;
}

export function StopButton({ call }: { readonly call: Call }) {
  const isStopping = useStore(stopping).has(call.id);
  const mayRun = useRight("run");
  if (!mayRun || !isUnderWay(call)) return null;
  return (
    <Button
      kind="danger"
      isBusy={isStopping}
      label={`Stop ${call.tool_id ?? call.tool_name}: ${summarizeInput(call.tool_input)}`}
      onClick={() => void stopCall(call.id)}
    >
      <Icon name="stop" />
      {isStopping ? "Stopping…" : "Stop"}
    </Button>
  );
}

export function LiveOutput({ call }: { readonly call: Call }) {
  const isLive = isUnderWay(call);
  const { data, error } = useCallOutput(call.id, isLive);
  if (error !== undefined) return <p class="muted">{error}</p>;
  if (data === undefined) return null;
  return <Output text={data.text} bytes={data.bytes} isCut={data.is_cut} isLive={isLive} />;
}

export function isUnderWay({ state }: Call): boolean {
  return state === "running" || state === "pending";
}

import type { PageParams } from "../../app/routes.tsx";
import { pathTo, withQuery } from "../../api/query.ts";
import type { Call } from "../../api/types.ts";
import { Code, Json } from "../../components/code.tsx";
import { Facts, type Fact } from "../../components/facts.tsx";
import { Loading, Notice } from "../../components/notice.tsx";
import { Page, Section } from "../../components/page.tsx";
import { Ago, Clock, Elapsed } from "../../components/time.tsx";
import { showControls } from "../../format/show-controls.ts";
import { formatDuration } from "../../../src/core/time.ts";
import { Link } from "../../router/link.tsx";
import { useResource } from "../../state/use-resource.ts";
import { CallState, isUnderWay, LiveOutput, StopButton } from "./running-call.tsx";

/** The whole record of one call. */
export function CallPage({ params }: PageParams) {
  const id = params["id"] ?? "";
  const { data: call, error } = useResource<Call>(pathTo("api", "calls", id), { topics: ["calls"] });
  return (
    <Page
      title={call === undefined ? "Call" : (call.tool_id ?? call.tool_name)}
      about={call === undefined ? undefined : <CallState call={call} />}
      actions={
        <>
          <Link href={withQuery("/log", { call: id })}>In the log</Link>
          <Link href={withQuery("/log", { evidence: id })}>Evidence</Link>
          {call === undefined ? null : <StopButton call={call} />}
        </>
      }
    >
      {error === undefined ? null : <Notice tone="bad">{error}</Notice>}
      {call === undefined && error === undefined ? <Loading what="the call" /> : null}
      {call === undefined ? null : <CallRecord call={call} />}
    </Page>
  );
}

function CallRecord({ call }: { readonly call: Call }) {
  const hint = call.result !== null && !call.result.ok ? call.result.hint : undefined;
  return (
    <>
      {call.error === null ? null : (
        <Notice tone={call.state === "cancelled" ? "warn" : "bad"}>
          {showControls(call.error)}
          {hint === undefined ? null : <p>{showControls(hint)}</p>}
        </Notice>
      )}
      {call.survivors.length === 0 ? null : (
        <Notice tone="bad">
          Still alive although it was stopped:{" "}
          {call.survivors.map(({ pid, command }) => `${pid} (${showControls(command)})`).join(", ")}
        </Notice>
      )}
      <div class="columns">
        <div>
          <Section title="Input">
            <InputOf call={call} />
          </Section>
          <Section title="Output">
            <LiveOutput call={call} />
          </Section>
          {call.result?.data === undefined ? null : (
            <Section title="Data">
              <Json value={call.result.data} label="the data" />
            </Section>
          )}
        </div>
        <Section title="Facts">
          <div class="card">
            <Facts facts={factsOf(call)} />
          </div>
        </Section>
      </div>
    </>
  );
}

/** A command alone reads better than JSON around it. */
function InputOf({ call: { tool_input: input } }: { readonly call: Call }) {
  const entries = typeof input === "object" && input !== null ? Object.entries(input) : [];
  const [only] = entries;
  if (entries.length === 1 && only && typeof only[1] === "string") return <Code text={only[1]} label={only[0]} />;
  return <Json value={input} label="the input" />;
}

function factsOf(call: Call): readonly Fact[] {
  const { permission, sandbox } = call;
  return [
    ["Created", <Ago key="created" at={call.created_at} />],
    ["Started", call.started_at === null ? null : <Clock key="started" at={call.started_at} />],
    ["Took", call.duration_ms === null ? underWayFor(call) : formatDuration(call.duration_ms)],
    ["Limit", call.timeout_ms === null ? null : formatDuration(call.timeout_ms)],
    ["Attempt", call.attempt > 1 ? String(call.attempt) : null],
    ["Asked as", call.tool_id !== null && call.tool_id !== call.tool_name ? call.tool_name : null],
    ["Version", [call.version, call.route === "canary" ? "canary" : null].filter(Boolean).join(", ")],
    ["Came by", call.door],
    ["Session", call.conversation_id],
    ["Part of", call.batch_id ?? call.parent_id],
    ["Kind of error", call.error_type],
    ["Stopped", call.stop_cause === null ? null : `${call.stop_cause}; proof: ${call.stop_proof ?? "none needed"}`],
    ["Ended with it", call.killed.map(({ pid, command }) => `${pid} ${showControls(command)}`).join(", ")],
    [
      "Permission",
      permission &&
        [permission.decision, `by ${permission.by}`, permission.rule, permission.who].filter(Boolean).join(", "),
    ],
    ["Dangers", permission?.dangers.join(", ")],
    [
      "Sandbox",
      sandbox && (sandbox.kind === "none" ? "none" : `${sandbox.kind}, network ${sandbox.network ? "on" : "off"}`),
    ],
    ["Process", call.owner === null ? null : String(call.owner.pid)],
    ["Note", call.note],
    [
      "Id",
      <span key="id" class="mono">
        {call.id}
      </span>,
    ],
  ];
}

function underWayFor(call: Call) {
  return isUnderWay(call) && call.started_at !== null ? <Elapsed since={call.started_at} /> : null;
}

import { pathTo } from "../../api/query.ts";
import type { Call } from "../../api/types.ts";
import { Json } from "../../components/code.tsx";
import { Facts } from "../../components/facts.tsx";
import { Loading, Notice } from "../../components/notice.tsx";
import { Page, Section } from "../../components/page.tsx";
import { Ago } from "../../components/time.tsx";
import { countOf } from "../../format/amount.ts";
import { showControls, showLine } from "../../format/show-controls.ts";
import { formatDuration } from "../../../src/core/time.ts";
import { Link } from "../../router/link.tsx";
import { useResource } from "../../state/use-resource.ts";
import { CallRows } from "../now/call-rows.tsx";
import { effectOf } from "./effect-of.ts";
import { TryTool } from "./try-tool.tsx";
import type { ToolDetail, ToolVersion } from "./types.ts";

/** One tool: what it does, its versions, its last calls, and a form to try it. */
export function ToolPage({ name }: { readonly name: string }) {
  const { data, error } = useResource<ToolDetail>(`/api${pathTo("tools", name)}`, { topics: ["tools", "calls"] });
  return (
    <Page title={name} about={<Link href="/tools">All tools</Link>}>
      {error === undefined ? null : (
        <Notice tone="bad">
          {error} <Link href="/tools">See all tools</Link>
        </Notice>
      )}
      {data === undefined ? error === undefined ? <Loading what={name} /> : null : <Detail tool={data} />}
    </Page>
  );
}

function Detail({ tool }: { readonly tool: ToolDetail }) {
  return (
    <>
      {tool.problem ? <Notice tone="warn">{showLine(tool.problem)}</Notice> : null}
      {tool.last_error === null ? null : (
        <Notice tone="warn">
          {countOf(tool.recent_errors, "failure")} in the last day, the last one <Ago at={tool.last_error.at} />
          {tool.last_error.error === null ? "." : `: ${showLine(tool.last_error.error)} `}
          <Link href={pathTo("calls", tool.last_error.id)}>That call</Link>
        </Notice>
      )}
      <p class="tool-description">{showControls(tool.description.trim())}</p>
      <TryTool tool={tool} />
      <Versions tool={tool} />
      <LastCalls calls={tool.calls} />
      <Section title="What it is">
        <Facts
          facts={[
            ["may do", effectOf(tool)],
            ["also called", tool.aliases.join(", ")],
            ["category", tool.category],
            ["file", tool.file ?? null],
            ["server", tool.server ?? null],
            ["version", <code key="version">{tool.version}</code>],
            ["time limit", tool.timeout_ms === null ? "the runtime's default" : formatDuration(tool.timeout_ms)],
          ]}
        />
        <details>
          <summary>Input schema</summary>
          <Json value={tool.input_schema} label="Input schema" />
        </details>
      </Section>
    </>
  );
}

function Versions({ tool }: { readonly tool: ToolDetail }) {
  // Of what does not come from a file there is only the one.
  if (tool.file === undefined) return null;
  return (
    <Section title="Versions" about={<Link href={pathTo("rollouts", tool.name)}>its rollout</Link>}>
      <ul class="versions">
        {tool.versions.map((version) => (
          <li key={version.version}>
            <code>{version.version}</code>
            <span class={tagOf(version.role)}>{version.role === "out" ? "rolled back" : version.role}</span>
            {version.since === null ? null : (
              <span class="muted">
                since <Ago at={version.since} />
              </span>
            )}
          </li>
        ))}
      </ul>
    </Section>
  );
}

function tagOf(role: ToolVersion["role"]): string {
  return { stable: "tag good", canary: "tag accent", earlier: "tag", out: "tag bad" }[role];
}

function LastCalls({ calls }: { readonly calls: readonly Call[] }) {
  if (calls.length === 0) return null;
  return (
    <Section title="Last calls">
      <CallRows calls={calls} label="Last calls" />
    </Section>
  );
}

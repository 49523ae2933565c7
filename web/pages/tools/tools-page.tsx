import { pathTo } from "../../api/query.ts";
import type { List } from "../../api/types.ts";
import { Empty, Loading, Notice } from "../../components/notice.tsx";
import { Page, Section } from "../../components/page.tsx";
import { RovingList } from "../../components/roving-list.tsx";
import { countOf } from "../../format/amount.ts";
import { showLine } from "../../format/show-controls.ts";
import { Link } from "../../router/link.tsx";
import { useSearch } from "../../router/use-search.ts";
import { useResource } from "../../state/use-resource.ts";
import { effectOf } from "./effect-of.ts";
import { ToolPage } from "./tool-page.tsx";
import type { ToolItem } from "./types.ts";
import "./tools.css";

/** `/tools` and `/tools/:name` */
export function ToolsPage({ params }: { readonly params: Readonly<Record<string, string>> }) {
  const name = params["name"];
  return name === undefined ? <ToolList /> : <ToolPage key={name} name={name} />;
}

function ToolList() {
  const { data, error } = useResource<List<ToolItem>>("/api/tools", { topics: ["tools"] });
  const [search, change] = useSearch();
  const wanted = (search.get("q") ?? "").toLowerCase();
  const tools = data?.items.filter(({ name, description, aliases }) =>
    [name, description, ...aliases].some((text) => text.toLowerCase().includes(wanted)),
  );
  return (
    <Page
      title="Tools"
      about={data === undefined ? undefined : countOf(data.items.length, "tool")}
      actions={
        <input
          class="input"
          type="search"
          aria-label="Search tools"
          placeholder="Search"
          value={search.get("q") ?? ""}
          onInput={(event) => change({ q: event.currentTarget.value })}
        />
      }
    >
      {error === undefined ? null : <Notice tone="bad">{error}</Notice>}
      {tools === undefined && error === undefined ? <Loading what="tools" /> : null}
      {tools?.length === 0 ? <Empty title="No tool has that in its name or description." /> : null}
      {groups.map(({ title, holds }) => {
        const own = tools?.filter(holds) ?? [];
        if (own.length === 0) return null;
        return (
          <Section key={title} title={title}>
            <RovingList
              label={title}
              items={own}
              keyOf={({ name }) => name}
              render={(tool, tabIndex) => <Row tool={tool} tabIndex={tabIndex} />}
            />
          </Section>
        );
      })}
    </Page>
  );
}

const groups = [
  { title: "From files", holds: ({ file }: ToolItem) => file !== undefined },
  { title: "From servers", holds: ({ server }: ToolItem) => server !== undefined },
  { title: "Built in", holds: ({ file, server }: ToolItem) => file === undefined && server === undefined },
] as const;

function Row({ tool, tabIndex }: { readonly tool: ToolItem; readonly tabIndex: number }) {
  return (
    <Link href={pathTo("tools", tool.name)} class="row-link tool-row" tabIndex={tabIndex}>
      <span class="tool-name">
        <strong>{tool.name}</strong>
        <span class={tool.read_only ? "tag" : "tag warn"}>{effectOf(tool)}</span>
        {tool.problem ? <span class="tag bad">problem</span> : null}
        <span class="muted mono ellipsis">{tool.file ?? tool.server ?? ""}</span>
      </span>
      <span class="row-side">
        {tool.recent_errors === 0 ? null : <span class="bad">{countOf(tool.recent_errors, "failure")} in a day</span>}
      </span>
      <span class="muted ellipsis tool-summary">{showLine(tool.description)}</span>
    </Link>
  );
}

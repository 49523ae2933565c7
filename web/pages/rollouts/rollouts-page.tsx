import { pathTo } from "../../api/query.ts";
import { Empty, Loading, Notice } from "../../components/notice.tsx";
import { Page } from "../../components/page.tsx";
import { RovingList } from "../../components/roving-list.tsx";
import { countOf } from "../../format/amount.ts";
import { showLine } from "../../format/show-controls.ts";
import { Link } from "../../router/link.tsx";
import { useResource } from "../../state/use-resource.ts";
import { RolloutPage } from "./rollout-page.tsx";
import { RolloutState, shortHash } from "./rollout-state.tsx";
import { Stages } from "./stages.tsx";
import type { RolloutView, RolloutViews } from "./types.ts";
import "./rollouts.css";

/** `/rollouts` and `/rollouts/:tool` */
export function RolloutsPage({ params }: { readonly params: Readonly<Record<string, string>> }) {
  const tool = params["tool"];
  return tool === undefined ? <RolloutList /> : <RolloutPage key={tool} tool={tool} />;
}

/** All tool files: what is tried, by how many, and why it stands where it stands. */
function RolloutList() {
  const { data, error } = useResource<RolloutViews>("/api/rollouts", { topics: ["rollouts", "tools"] });
  const views = data?.items.toSorted((one, other) => rankOf(one) - rankOf(other));
  const active = views?.filter(({ status }) => status !== "none").length ?? 0;
  return (
    <Page title="Rollouts" about={views === undefined ? undefined : `${countOf(active, "version")} being decided`}>
      {error === undefined ? null : <Notice tone="bad">{error}</Notice>}
      {views === undefined && error === undefined ? <Loading what="rollouts" /> : null}
      {views?.length === 0 ? (
        <Empty title="No tool file has been used here yet.">
          <code>deckhand tools new NAME</code> writes one. <EditsAre mode={data!.mode} />
        </Empty>
      ) : null}
      {views === undefined || views.length === 0 ? null : (
        <RovingList
          label="Tool files"
          items={views}
          keyOf={({ tool }) => tool}
          render={(view, tabIndex) => <Row view={view} tabIndex={tabIndex} />}
        />
      )}
    </Page>
  );
}

/** What becomes of an edit in this mode. */
function EditsAre({ mode }: { readonly mode: RolloutViews["mode"] }) {
  if (mode === "canary") return <>When you edit it, a few conversations try the new version first.</>;
  return (
    <>
      When you edit it, the new version is live at the next call; with <code>rollout.mode: "canary"</code> in the
      settings a few conversations try it first.
    </>
  );
}

function Row({ view, tabIndex }: { readonly view: RolloutView; readonly tabIndex: number }) {
  return (
    <Link href={pathTo("rollouts", view.tool)} class="row-link" tabIndex={tabIndex}>
      <span class="rollout-name">
        <strong>{view.tool}</strong>
        <RolloutState view={view} />
        <span class="muted mono">
          {shortHash(view.stable)}
          {view.canary === null ? "" : ` → ${shortHash(view.canary)}`}
        </span>
      </span>
      <Stages view={view} />
      <span class="rollout-why">{showLine(view.reason)}</span>
    </Link>
  );
}

/** What waits for a person first, what is at rest last. */
function rankOf({ status, awaits_approval }: RolloutView): number {
  if (awaits_approval || status === "blocked") return 0;
  return { running: 1, replaying: 1, rolled_back: 2, none: 3 }[status];
}

import { useState } from "preact/hooks";
import { pathTo, withQuery } from "../../api/query.ts";
import type { LogEntry, LogItem } from "../../api/types.ts";
import { CopyButton } from "../../components/copy-button.tsx";
import { Facts } from "../../components/facts.tsx";
import { RovingList } from "../../components/roving-list.tsx";
import { Clock } from "../../components/time.tsx";
import { showControls, showLine } from "../../format/show-controls.ts";
import { formatMoment, isSameDay } from "../../format/time.ts";
import { Link } from "../../router/link.tsx";
import { saidIn, tellEntry, textOf, toolOf } from "./tell-entry.ts";
import { toneOfType } from "./log-types.ts";

/** Lines of the log; each opens to all that it says. */
export function LogRows({ items }: { readonly items: readonly LogItem[] }) {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const toggle = (id: string) => {
    const next = new Set(open);
    if (!next.delete(id)) next.add(id);
    setOpen(next);
  };
  return (
    <RovingList
      label="Lines of the log"
      class={hasOtherDays(items) ? "log-rows has-days" : "log-rows"}
      items={items}
      keyOf={({ id }) => id}
      render={({ id, entry, intact = true }, tabIndex) => (
        <>
          <button
            type="button"
            class="row-link log-row"
            tabIndex={tabIndex}
            aria-expanded={open.has(id)}
            onClick={() => toggle(id)}
          >
            <span class="row-side">
              <Clock at={textOf(entry["at"])} />
            </span>
            <span class={`tag ${toneOfType(textOf(entry["type"]))}`}>
              {showLine(textOf(entry["type"])).replaceAll("_", " ")}
            </span>
            <span class="row-what">
              {toolOf(entry) === "" ? null : <span class="row-name">{showLine(toolOf(entry))} </span>}
              {intact ? null : <strong class="bad">changed afterwards! </strong>}
              {tellEntry(entry)}
            </span>
          </button>
          {open.has(id) ? <LogLine id={id} entry={entry} /> : null}
        </>
      )}
    />
  );
}

/** Those take more room: the day stands before the time. */
function hasOtherDays(items: readonly LogItem[]): boolean {
  return items.some(({ entry }) => {
    const at = Date.parse(textOf(entry["at"]));
    return !Number.isNaN(at) && !isSameDay(at, Date.now());
  });
}

/** All of one line. */
export function LogLine({ id, entry }: { readonly id: string; readonly entry: LogEntry }) {
  const call = typeof entry["id"] === "string" ? entry["id"] : undefined;
  const at = Date.parse(textOf(entry["at"]));
  return (
    <div class="log-line">
      <div class="log-links">
        {call === undefined ? null : (
          <>
            <Link href={pathTo("calls", call)}>The call</Link>
            <Link href={withQuery("/log", { call })}>Its lines</Link>
            <Link href={withQuery("/log", { evidence: call })}>Evidence</Link>
          </>
        )}
        <span class="grow" />
        <CopyButton text={JSON.stringify(entry, null, 2)} what="the line as JSON" />
      </div>
      <Facts
        facts={[
          ["at", Number.isNaN(at) ? textOf(entry["at"]) : formatMoment(at)],
          ...saidIn(entry).map(
            ([key, value]) =>
              [
                key,
                <span key={key} class="log-value">
                  {showControls(shown(value))}
                </span>,
              ] as const,
          ),
          ["place", <code key="place">{`${id} (${textOf(entry["writer"])}, line ${textOf(entry["seq"])})`}</code>],
          ["hash", <code key="hash">{textOf(entry["hash"])}</code>],
          ["follows", <code key="prev">{textOf(entry["prev"] ?? "none")}</code>],
        ]}
      />
    </div>
  );
}

function shown(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "");
}

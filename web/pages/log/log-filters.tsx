import { useEffect, useRef, useState } from "preact/hooks";
import { Button } from "../../components/button.tsx";
import { Icon } from "../../components/icon.tsx";
import { useShortcut } from "../../state/shortcuts.ts";
import { logGroups } from "./log-types.ts";

interface LogFiltersProps {
  readonly search: URLSearchParams;
  readonly change: (changes: Readonly<Record<string, string>>) => void;
}

const typingMs = 300;

export function LogFilters({ search, change }: LogFiltersProps) {
  const field = useRef<HTMLInputElement>(null);
  useShortcut("/", () => field.current?.focus());
  const text = useTyped(search.get("text") ?? "", (value) => change({ text: value }));
  const tool = useTyped(search.get("tool") ?? "", (value) => change({ tool: value.trim() }));
  const types = search.get("type") ?? "";
  const isKnown = logGroups.some((group) => group.types === types);
  const narrowed = (["call", "conversation"] as const).filter((key) => search.has(key));
  return (
    <search class="filters">
      <label class="filter-text">
        <span class="visually-hidden">Search the log</span>
        <Icon name="search" />
        <input
          ref={field}
          class="input"
          type="search"
          placeholder="Search the log"
          value={text.value}
          onInput={({ currentTarget }) => text.type(currentTarget.value)}
        />
      </label>
      <label>
        <span class="visually-hidden">Kind of lines</span>
        <select class="select" value={types} onChange={({ currentTarget }) => change({ type: currentTarget.value })}>
          {logGroups.map((group) => (
            <option key={group.name} value={group.types}>
              {group.name}
            </option>
          ))}
          {isKnown ? null : <option value={types}>{types}</option>}
        </select>
      </label>
      <label class="filter-tool">
        <span class="visually-hidden">Tool</span>
        <input
          class="input"
          placeholder="Any tool"
          value={tool.value}
          onInput={({ currentTarget }) => tool.type(currentTarget.value)}
        />
      </label>
      {narrowed.map((key) => (
        <Button key={key} label={`Only one ${key}; show all again`} onClick={() => change({ [key]: "" })}>
          {key} …{search.get(key)?.slice(-6)}
          <Icon name="cross" />
        </Button>
      ))}
    </search>
  );
}

/** What is typed shows at once, and counts when the typing rests. */
function useTyped(given: string, settle: (value: string) => void): { value: string; type: (value: string) => void } {
  const [value, setValue] = useState(given);
  const latest = useRef(settle);
  latest.current = settle;
  const known = useRef(given);
  useEffect(() => {
    // It was changed from elsewhere, such as by going back.
    if (given !== known.current) setValue(given);
    known.current = given;
  }, [given]);
  useEffect(() => {
    if (value === known.current) return undefined;
    const timer = setTimeout(() => {
      known.current = value;
      latest.current(value);
    }, typingMs);
    return () => clearTimeout(timer);
  }, [value]);
  return { value, type: setValue };
}

import { useMemo, useState } from "preact/hooks";
import { countOf } from "../format/amount.ts";
import { parseDiff, type DiffLine } from "../format/parse-diff.ts";
import { showControls } from "../format/show-controls.ts";
import { Button } from "./button.tsx";
import { CopyButton } from "./copy-button.tsx";

/** More than anybody reads at once; the rest comes when asked for. */
const linesAtFirst = 600;

/** A unified diff: each line with its sign, its colour, and its numbers. */
export function Diff({ text }: { readonly text: string }) {
  const { lines, added, removed, leftOut } = useMemo(() => parseDiff(text), [text]);
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? lines : lines.slice(0, linesAtFirst);
  return (
    <figure class="diff">
      <figcaption>
        <span class="good">+{added}</span> <span class="bad">−{removed}</span>
        <span class="visually-hidden">{`${countOf(added, "line")} added, ${countOf(removed, "line")} removed`}</span>
        {leftOut === undefined ? null : <span class="warn">{`Not all of it: ${leftOut}`}</span>}
        <CopyButton text={text} what="the diff" />
      </figcaption>
      <div class="diff-lines" tabIndex={0} role="group" aria-label="Diff">
        {shown.map((line, index) => (
          <DiffRow key={index} line={line} />
        ))}
      </div>
      {shown.length < lines.length ? (
        <div class="more">
          <Button onClick={() => setWhole(true)}>Show the other {countOf(lines.length - shown.length, "line")}</Button>
        </div>
      ) : null}
    </figure>
  );
}

const signs = { added: "+", removed: "-", same: " ", file: "", place: "", note: "" } as const;

function DiffRow({ line }: { readonly line: DiffLine }) {
  const { kind, text, before, after } = line;
  return (
    <div class={`diff-line ${kind}`}>
      <span class="diff-number" aria-hidden="true">
        {before ?? ""}
      </span>
      <span class="diff-number" aria-hidden="true">
        {after ?? ""}
      </span>
      <span class="diff-text">{`${signs[kind]}${showControls(text)}`}</span>
    </div>
  );
}

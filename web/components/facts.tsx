import type { ComponentChildren } from "preact";
import { showLine } from "../format/show-controls.ts";

export type Fact = readonly [label: string, value: ComponentChildren];

/** Names and values; what is null is left out. Texts may come from others: what hides or turns them is shown. */
export function Facts({ facts }: { readonly facts: readonly Fact[] }) {
  return (
    <dl class="facts">
      {facts.map(([label, value]) =>
        value === null || value === undefined || value === "" ? null : (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{typeof value === "string" ? showLine(value) : value}</dd>
          </div>
        ),
      )}
    </dl>
  );
}

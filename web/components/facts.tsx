import type { ComponentChildren } from "preact";

export type Fact = readonly [label: string, value: ComponentChildren];

/** Names and values; what is null is left out. */
export function Facts({ facts }: { readonly facts: readonly Fact[] }) {
  return (
    <dl class="facts">
      {facts.map(([label, value]) =>
        value === null || value === undefined || value === "" ? null : (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ),
      )}
    </dl>
  );
}

import type { ComponentChildren } from "preact";
import { Icon } from "./icon.tsx";

/** A sentence that matters more than the text around it. */
export function Notice({
  tone = "plain",
  children,
}: {
  readonly tone?: "plain" | "bad" | "warn" | "good";
  readonly children: ComponentChildren;
}) {
  return (
    <div class={`notice ${tone}`} role={tone === "bad" ? "alert" : undefined}>
      <Icon name={tone === "good" ? "check" : tone === "plain" ? "question" : "warning"} />
      <div>{children}</div>
    </div>
  );
}

/** Where a list would be: there is nothing, and how something gets there. */
export function Empty({ title, children }: { readonly title: string; readonly children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children === undefined ? null : <p>{children}</p>}
    </div>
  );
}

/** Something is being fetched. Appears only after a moment, so that quick answers do not flicker. */
export function Loading({ what }: { readonly what: string }) {
  return (
    <p class="loading" role="status">
      Loading {what}…
    </p>
  );
}

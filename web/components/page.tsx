import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { useStatus } from "../state/status.ts";
import { useLostFocus } from "../state/use-lost-focus.ts";

interface PageProps {
  readonly title: string;
  /** One quiet line beside the title. */
  readonly about?: ComponentChildren;
  /** Buttons at the right. */
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** One page: names the window after itself and, when somebody came from another page, takes the focus. */
export function Page({ title, about, actions, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const waiting = useStatus()?.counts.waiting_inbox ?? 0;
  useEffect(() => {
    document.title = `${waiting > 0 ? `(${waiting}) ` : ""}${title} · Deckhand`;
  }, [title, waiting]);
  useLostFocus(heading);
  return (
    <div class="page">
      <header class="page-head">
        <div class="page-name">
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {about === undefined ? null : <p class="about">{about}</p>}
        </div>
        {actions === undefined ? null : <div class="actions">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

/** A part of a page with a heading of its own. */
export function Section({ title, about, actions, children }: PageProps) {
  return (
    <section class="section" aria-label={title}>
      <header class="section-head">
        <h2>{title}</h2>
        {about === undefined ? null : <p class="about">{about}</p>}
        {actions === undefined ? null : <div class="actions">{actions}</div>}
      </header>
      {children}
    </section>
  );
}

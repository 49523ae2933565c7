import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Link } from "../router/link.tsx";
import { Icon } from "./icon.tsx";

interface SplitProps {
  readonly list: ComponentChildren;
  /** Undefined: the list has the whole width. */
  readonly detail: ComponentChildren | undefined;
  /** On a phone there is room for one of them. */
  readonly showsDetail: boolean;
  /** Where the list is, and what it is called. */
  readonly back: { readonly href: string; readonly name: string };
}

/** A list, and the entry of it that is open. */
export function Split({ list, detail, showsDetail, back }: SplitProps) {
  const opened = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // The list is gone, and the focus with it.
    if (showsDetail && matchMedia("(width < 62.5em)").matches) opened.current?.focus({ preventScroll: true });
  }, [showsDetail]);
  const hasDetail = detail !== undefined && detail !== null;
  return (
    <div class={`split ${hasDetail ? "" : "has-list-only"} ${showsDetail ? "shows-detail" : ""}`}>
      <div class="split-list">{list}</div>
      {hasDetail ? (
        <div ref={opened} class="split-detail" tabIndex={-1}>
          <p class="back">
            <Link href={back.href} class="back-link">
              <Icon name="left" />
              {back.name}
            </Link>
          </p>
          {detail}
        </div>
      ) : null}
    </div>
  );
}

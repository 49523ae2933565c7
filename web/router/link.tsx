import type { ComponentChildren, TargetedMouseEvent } from "preact";
import { navigate } from "./location.ts";

interface LinkProps {
  readonly href: string;
  readonly class?: string | undefined;
  readonly current?: boolean;
  readonly children: ComponentChildren;
  readonly label?: string | undefined;
  readonly tabIndex?: number;
}

/** A link inside the dashboard: followed without loading the page anew, unless somebody wants a new tab. */
export function Link({ href, current = false, children, label, ...rest }: LinkProps) {
  return (
    <a
      {...rest}
      href={href}
      aria-label={label}
      aria-current={current ? "page" : undefined}
      onClick={(event) => follow(event, href)}
    >
      {children}
    </a>
  );
}

function follow(event: TargetedMouseEvent<HTMLAnchorElement>, href: string): void {
  if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  navigate(href);
}

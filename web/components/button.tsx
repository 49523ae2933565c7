import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { handOnFocus } from "../state/hand-on-focus.ts";

interface ButtonProps {
  readonly children: ComponentChildren;
  readonly onClick?: (() => void) | undefined;
  /** `primary`: what most want here; `danger`: what can't be taken back; `quiet`: beside a line of text. */
  readonly kind?: "plain" | "primary" | "danger" | "quiet";
  readonly submits?: boolean;
  /** Under way: it can't be pressed twice. */
  readonly isBusy?: boolean;
  readonly isDisabled?: boolean;
  readonly label?: string | undefined;
  readonly pressed?: boolean | undefined;
  readonly expanded?: boolean | undefined;
  readonly title?: string | undefined;
  readonly keys?: string | undefined;
}

export function Button(props: ButtonProps) {
  const { children, onClick, kind = "plain", submits = false, isBusy = false, isDisabled = false } = props;
  const element = useRef<HTMLButtonElement>(null);
  // Its end comes before the button is taken out; that of an effect would come after.
  useLayoutEffect(() => {
    const own = element.current;
    return () => {
      if (own !== null) handOnFocus(own);
    };
  }, []);
  return (
    <button
      ref={element}
      type={submits ? "submit" : "button"}
      class={`button ${kind}`}
      // Not `disabled`: a button that goes away under the focus leaves somebody at the keyboard nowhere.
      aria-disabled={isBusy || isDisabled ? true : undefined}
      aria-busy={isBusy ? true : undefined}
      aria-label={props.label}
      aria-pressed={props.pressed}
      aria-expanded={props.expanded}
      aria-keyshortcuts={props.keys}
      title={props.title}
      onClick={(event) => {
        if (isBusy || isDisabled) event.preventDefault();
        else onClick?.();
      }}
    >
      {children}
    </button>
  );
}

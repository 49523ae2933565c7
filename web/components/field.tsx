import { cloneElement, type ComponentChildren, type VNode } from "preact";
import { useId } from "preact/hooks";

interface FieldProps {
  readonly label: string;
  /** A line under it that helps. */
  readonly hint?: ComponentChildren;
  readonly error?: string | undefined;
  /** The control, which gets `ControlProps`. */
  readonly children: VNode;
}

/** What ties a control to its name, to the help under it and to what is wrong with it. */
export interface ControlProps {
  readonly id?: string;
  readonly "aria-describedby"?: string | undefined;
  readonly "aria-invalid"?: true | undefined;
}

/** A form's field: its name is only its name; help and problems are descriptions, so that a screen reader says them after it. */
export function Field({ label, hint, error, children }: FieldProps) {
  const id = useId();
  const described = [error === undefined ? "" : `${id}-error`, hint === undefined ? "" : `${id}-hint`];
  const control: ControlProps = {
    id,
    "aria-describedby": described.filter((each) => each !== "").join(" ") || undefined,
    "aria-invalid": error === undefined ? undefined : true,
  };
  return (
    <div class="field">
      <label class="field-label" for={id}>
        {label}
      </label>
      {cloneElement(children, control)}
      {error === undefined ? null : (
        <span class="field-error" role="alert" id={`${id}-error`}>
          {error}
        </span>
      )}
      {hint === undefined ? null : (
        <span class="field-hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
    </div>
  );
}

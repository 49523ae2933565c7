import type { ComponentChildren } from "preact";

interface FieldProps {
  readonly label: string;
  /** A line under it that helps. */
  readonly hint?: ComponentChildren;
  readonly error?: string | undefined;
  readonly children: ComponentChildren;
}

/** A form's field with its name; the control is the child. */
export function Field({ label, hint, error, children }: FieldProps) {
  return (
    // oxlint-disable-next-line jsx-a11y/label-has-associated-control -- the control is among the children
    <label class="field">
      <span class="field-label">{label}</span>
      {children}
      {error === undefined ? null : (
        <span class="field-error" role="alert">
          {error}
        </span>
      )}
      {hint === undefined ? null : <span class="field-hint">{hint}</span>}
    </label>
  );
}

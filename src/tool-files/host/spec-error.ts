/** Something in a spec that can't be taken. Never leaves the reading of it. */
export class SpecError extends Error {
  override readonly name = "SpecError";
  readonly hint: string | null;
  constructor(message: string, hint: string | null) {
    super(message);
    this.hint = hint;
  }
}

export type Value =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "list"; readonly items: readonly string[] }
  /** `isTainted`: it holds what a command printed or somebody typed. `glob`: it is each file in turn that this matches. */
  | { readonly kind: "unknown"; readonly isTainted: boolean; readonly glob?: string };

/** The variables that the text itself sets, as far as their values can be known. */
export class Variables {
  private args: readonly string[] | null = [];
  private readonly values = new Map<string, Value>();

  /** The arguments `$1`, `$2`, …; null: not known. */
  get positionals(): readonly string[] | null {
    return this.args;
  }

  set positionals(items: readonly string[] | null) {
    this.args = items === null || isLarge({ kind: "list", items }) ? null : items;
  }

  get(name: string): Value | undefined {
    return this.values.get(name);
  }

  set(name: string, value: Value): void {
    this.values.set(name, isLarge(value) ? { kind: "unknown", isTainted: false } : value);
  }

  setText(name: string, text: string | null, isTainted = false): void {
    this.set(name, text === null ? { kind: "unknown", isTainted } : { kind: "text", text });
  }

  unset(name: string): void {
    this.values.delete(name);
  }

  forget(names: Iterable<string>): void {
    for (const name of names) this.values.set(name, { kind: "unknown", isTainted: false });
  }

  /** A copy, for what may or may not happen, or happens in a process of its own. */
  fork(): Variables {
    const copy = new Variables();
    copy.positionals = this.positionals;
    for (const [name, value] of this.values) copy.values.set(name, value);
    return copy;
  }

  /** After a branch that may have run: what it changed is not known any more. */
  join(branch: Variables): void {
    for (const [name, value] of branch.values) {
      const own = this.values.get(name);
      if (own === value || (own !== undefined && isSame(own, value))) continue;
      // Not set before: it holds this or nothing, and nothing is no program.
      if (own === undefined && value.kind !== "unknown") {
        this.values.set(name, value);
        continue;
      }
      const isTainted = isUnknownTainted(own) || isUnknownTainted(value);
      this.values.set(name, { kind: "unknown", isTainted });
    }
    if (JSON.stringify(branch.positionals) !== JSON.stringify(this.positionals)) this.positionals = null;
  }
}

/** Values that double and double again must not fill the memory. */
function isLarge(value: Value): boolean {
  if (value.kind === "unknown") return false;
  if (value.kind === "text") return value.text.length > 4096;
  return value.items.length > 64 || value.items.some((item) => item.length > 4096);
}

function isSame(one: Value, other: Value): boolean {
  if (one.kind === "text") return other.kind === "text" && one.text === other.text;
  if (one.kind === "unknown")
    return other.kind === "unknown" && one.isTainted === other.isTainted && one.glob === other.glob;
  return (
    other.kind === "list" &&
    one.items.length === other.items.length &&
    one.items.every((item, n) => item === other.items[n])
  );
}

function isUnknownTainted(value: Value | undefined): boolean {
  return value?.kind === "unknown" && value.isTainted;
}

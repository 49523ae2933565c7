/**
 * What `toWire` makes of a type: snake_case keys, times as ISO-8601 text, what belongs to a tool untouched. For readers
 * on the other side of the wire, so that their types can't drift from ours.
 */
export type Wire<Value> = Value extends string | number | boolean | null | undefined
  ? Value
  : Value extends readonly (infer Item)[]
    ? readonly Wire<Item>[]
    : unknown extends Value
      ? Value
      : { readonly [Key in keyof Value as SnakeCase<Key & string>]: WireOf<Key, Value[Key]> };

type WireOf<Key, Value> = Key extends OpaqueKey
  ? Value
  : Key extends "at" | `${string}At`
    ? Exclude<Value, number> | (number extends Value ? string : never)
    : Wire<Value>;

type OpaqueKey = "toolInput" | "data" | "input" | "inputSchema";

/** `toolName` → `tool_name` */
export type SnakeCase<Key extends string> = Key extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : Key;

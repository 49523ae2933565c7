export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** A JSON Schema document (2020-12). Its keys are never renamed on the wire. */
export interface JsonSchema {
  readonly [key: string]: unknown;
}

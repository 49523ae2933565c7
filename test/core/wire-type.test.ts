import assert from "node:assert/strict";
import { test } from "node:test";
import { toWire, type Wire } from "../../src/core/wire.ts";

interface Inner {
  readonly exitCode: number | null;
  readonly endedAt: number | null;
  readonly at: number;
}

interface Sample {
  readonly id: string;
  readonly isOpen: boolean;
  readonly createdAt: number;
  readonly state: "on" | "off";
  readonly inner: Inner | null;
  readonly allOfThem: readonly Inner[];
  readonly toolInput: { readonly someKey: number };
  readonly anything: unknown;
  readonly maybeThere?: string;
}

test("the type of what goes out is what goes out: keys, times, and what belongs to a tool", () => {
  const inner: Inner = { exitCode: 7, endedAt: null, at: 0 };
  const value: Sample = {
    id: "x",
    isOpen: true,
    createdAt: 1000,
    state: "on",
    inner,
    allOfThem: [inner],
    toolInput: { someKey: 1 },
    anything: 5,
  };
  // The compiler checks these literals against the type, the test checks them against the codec.
  const innerWire: Wire<Inner> = { exit_code: 7, ended_at: null, at: "1970-01-01T00:00:00.000Z" };
  const wire: Wire<Sample> = {
    id: "x",
    is_open: true,
    created_at: "1970-01-01T00:00:01.000Z",
    state: "on",
    inner: innerWire,
    all_of_them: [innerWire],
    tool_input: { someKey: 1 },
    anything: 5,
  };
  assert.deepEqual(toWire(value), wire);
});

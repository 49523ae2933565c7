import assert from "node:assert/strict";
import { test } from "node:test";
import { readPostgresAddress } from "../../../src/records/postgres/postgres-connection.ts";

const known: readonly (readonly [given: string, name: string, url: string])[] = [
  ["postgres://u:p@h:5433/d?application_name=x", "postgres://u@h:5433/d", "postgres://u:p@h:5433/d?application_name=x"],
  ["postgresql://h/d", "postgres://h/d", "postgresql://h/d"],
  ["postgres://u:p@/d?host=/run/pg", "postgres://u@%2Frun%2Fpg/d", "postgres://u:p@/d?host=/run/pg"],
  ["postgres:///d", "postgres:///d", "postgres:///d"],
  ["postgres://h/d?sslmode=require", "postgres://h/d", "postgres://h/d?sslmode=verify-full"],
  ["postgres://h/d?sslmode=disable", "postgres://h/d", "postgres://h/d?sslmode=disable"],
  ["postgres://h/d?password=p", "postgres://h/d", "postgres://h/d?password=p"],
];

test("an address is shown without password and options [T4]", () => {
  for (const [given, name, url] of known) assert.deepEqual(readPostgresAddress(given), { name, url });
});

test("what is no address is refused without being shown [T4]", () => {
  for (const given of ["", "sesame", "mysql://u:sesame@h/d", "postgres:u:sesame@h", "postgres://u:sesame@h:port/d"]) {
    assert.throws(() => readPostgresAddress(given), {
      code: "CONFIG_INVALID",
      message: /^The store must be the address .*; what was given is none\.$/,
    });
  }
});

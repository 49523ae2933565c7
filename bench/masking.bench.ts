import { readFileSync } from "node:fs";
import { createMasker } from "../src/guard/secrets/create-masker.ts";
import type { Bench } from "./bench.ts";

/** As many known values as a rich environment has. */
const values = Array.from({ length: 30 }, (_, index) => `known-value-${index}-of-the-environment`);

interface Masked {
  readonly name: string;
  readonly budget: number;
  readonly text: () => string;
  readonly rounds: number;
  readonly unit?: "µs" | "ms";
}

function masking({ name, budget, text, rounds, unit = "µs" }: Masked): Bench {
  return {
    name: `masking: ${name}`,
    unit,
    budget,
    rounds: 7,
    measure() {
      const masker = createMasker({ values, key: "bench" });
      const given = text();
      for (let round = 0; round < rounds / 4; round++) masker.text(given);
      const begin = performance.now();
      for (let round = 0; round < rounds; round++) masker.text(given);
      return ((performance.now() - begin) * (unit === "µs" ? 1000 : 1)) / rounds;
    },
  };
}

function source(bytes: number): string {
  return readFileSync(new URL("../package-lock.json", import.meta.url), "utf8").slice(0, bytes);
}

function log(bytes: number): string {
  const line = "2026-01-01T00:00:00.000Z info GET /v1/items/4711?page=3 200 12 ms user=kim agent=curl/8.5.0\n";
  return line.repeat(Math.ceil(bytes / line.length)).slice(0, bytes);
}

function repeat(text: string): string {
  return text.repeat(Math.ceil(1_000_000 / text.length));
}

export const benches: readonly Bench[] = [
  masking({
    name: "60 characters without a secret",
    budget: 2,
    text: () => "The quick brown fox jumps over the lazy dog and then sleeps.",
    rounds: 50_000,
  }),
  masking({ name: "10 kB of a log without a secret", budget: 200, text: () => log(10_000), rounds: 500 }),
  masking({ name: "10 kB of a lock file", budget: 200, text: () => source(10_000), rounds: 500 }),
  masking({ name: "1 MB of a log without a secret", budget: 50, text: () => log(1_000_000), rounds: 3, unit: "ms" }),
  masking({
    name: "one line with a token",
    budget: 20,
    text: () => `Authorization: Bearer ${"aB3dE5gH7jK9".repeat(3)}`,
    rounds: 10_000,
  }),
  masking({
    name: "1 MB of one secret key after the other",
    budget: 2000,
    text: () => repeat("pass:"),
    rounds: 1,
    unit: "ms",
  }),
];

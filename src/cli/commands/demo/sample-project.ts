/** The project of the demo: a till that adds up wrongly, with tests that show it. */
export const sampleProject: Readonly<Record<string, string>> = {
  "package.json": `{ "name": "till", "private": true, "type": "module", "scripts": { "test": "node --test" } }
`,
  "src/price.js": `/** What one line of a receipt costs. */
export function lineTotal({ price, count }) {
  return price * count;
}
`,
  "src/receipt.js": `import { lineTotal } from "./price.js";

/** What the customer pays. */
export function receiptTotal(lines) {
  return lines.reduce((sum, line) => sum + lineTotal(line), 0);
}
`,
  "test/receipt.test.js": `import assert from "node:assert/strict";
import { test } from "node:test";
import { lineTotal } from "../src/price.js";
import { receiptTotal } from "../src/receipt.js";

test("two coffees", () => assert.equal(lineTotal({ price: 2.5, count: 2 }), 5));
test("three sweets", () => assert.equal(lineTotal({ price: 0.1, count: 3 }), 0.3));
test("nothing costs nothing", () => assert.equal(receiptTotal([]), 0));
`,
  "backups/monday.txt": "12 receipts\n",
  "backups/tuesday.txt": "9 receipts\n",
  "soak.sh": `# Keeps the till busy until somebody stops it. Its helper ignores the request to end.
trap "" TERM HUP
sleep 600 &
trap - TERM HUP
echo "helper is up"
round=0
while :; do
  round=$((round + 1))
  echo "round $round: all well"
  sleep 1
done
`,
};

/** What a person may choose, and what it means in code. */
export const roundings = [
  { label: "To the nearest cent", code: "Math.round(price * count * 100) / 100" },
  { label: "Down to the cent", code: "Math.floor(price * count * 100) / 100" },
  { label: "To four decimals", code: "Math.round(price * count * 1e4) / 1e4" },
] as const;

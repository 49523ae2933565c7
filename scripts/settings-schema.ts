// Writes deckhand.schema.json: what editors know of deckhand.json. It is part of the package.
//
//   node scripts/settings-schema.ts           write the file
//   node scripts/settings-schema.ts --check   fail when it is stale
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { describeSettings } from "../src/config/settings.ts";

const file = "deckhand.schema.json";
const content = `${JSON.stringify(describeSettings(), null, 2)}\n`;

if (!process.argv.includes("--check")) writeFileSync(file, content);
else if (!existsSync(file) || readFileSync(file, "utf8") !== content) {
  console.error(`${file} is stale: run npm run settings-schema.`);
  process.exitCode = 1;
}

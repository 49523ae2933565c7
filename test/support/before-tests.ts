// Loaded before each test file by `npm test`.
import { join } from "node:path";
import fc from "fast-check";
import { useBuiltHost } from "../../src/tool-files/host/host-program.ts";

// Random cases are the same in every quick run, so that a red one can be run again; `npm run prove`, and a test file run by
// itself, draw new ones.
if (process.env["DECKHAND_FULL"] !== "1") fc.configureGlobal({ seed: 20_261_116 });

// `pretest` has just compared the build with the sources.
if (process.env["DECKHAND_TEST_BUILT"] === "1")
  useBuiltHost(join(import.meta.dirname, "../../dist/javascript-host.js"));

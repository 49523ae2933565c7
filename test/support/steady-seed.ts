// Loaded before each test file by `npm test`: random cases are the same in every quick run, so that a red one can be run
// again; `npm run prove`, and a test file run by itself, draw new ones.
import fc from "fast-check";

fc.configureGlobal({ seed: 20_261_116 });

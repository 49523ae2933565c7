import { dangerousDisguises } from "./dangerous-disguises.ts";
import { dangerousMachine } from "./dangerous-machine.ts";
import { dangerousNetwork } from "./dangerous-network.ts";
import { dangerousSpellings } from "./dangerous-spellings.ts";

/** Commands that must never run without a person's yes, by family. */
export const dangerousCommands: Readonly<Record<string, readonly string[]>> = {
  ...dangerousMachine,
  ...dangerousNetwork,
  spellings: dangerousSpellings,
  disguises: dangerousDisguises,
};

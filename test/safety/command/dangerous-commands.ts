import { dangerousNetwork } from "./dangerous-network.ts";
import { dangerousMachine } from "./dangerous-machine.ts";

/** Commands that must never run without a person's yes, by the family of the rule that finds them. */
export const dangerousCommands: Readonly<Record<string, readonly string[]>> = {
  ...dangerousMachine,
  ...dangerousNetwork,
};

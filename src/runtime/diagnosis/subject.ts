import type { Clock } from "../../core/clock.ts";
import type { Configuration } from "../configuration.ts";
import type { Folders } from "../folders.ts";
import type { Environment } from "../load-configuration.ts";

/** What is looked at. */
export interface Subject {
  readonly folders: Folders;
  readonly env: Environment;
  /** The defaults, when the settings can't be used. */
  readonly configuration: Configuration;
  readonly clock: Clock;
}

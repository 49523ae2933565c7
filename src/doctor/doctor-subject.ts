import type { Clock } from "../core/clock.ts";
import type { Configuration } from "../config/configuration.ts";
import type { Folders } from "../config/folders.ts";
import type { Environment } from "../core/process.ts";

/** What is looked at. */
export interface Subject {
  readonly folders: Folders;
  readonly env: Environment;
  /** The defaults, when the settings can't be used. */
  readonly configuration: Configuration;
  readonly clock: Clock;
}

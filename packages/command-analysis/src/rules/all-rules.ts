import { administrationRules } from "./administration.ts";
import { cloudRules } from "./cloud.ts";
import { containerRules } from "./containers.ts";
import { controlRules } from "./control-programs.ts";
import { databaseRules } from "./databases.ts";
import { deleteRules } from "./delete.ts";
import { diskRules } from "./disks.ts";
import { gitExecRules } from "./git-config.ts";
import { gitRules } from "./git.ts";
import { modeRules } from "./modes.ts";
import { hiddenProgramRules } from "./hidden-programs.ts";
import { loadedFileRules } from "./loaded-file-rules.ts";
import { persistenceRules } from "./persistence.ts";
import { publishRules } from "./publish.ts";
import { remoteSourceRules } from "./remote-sources.ts";
import type { Rule } from "./command-rule.ts";
import { serviceRules } from "./services.ts";
import { tunnelRules } from "./tunnels.ts";

export const allRules: readonly Rule[] = [
  ...deleteRules,
  ...gitRules,
  ...gitExecRules,
  ...diskRules,
  ...modeRules,
  ...serviceRules,
  ...administrationRules,
  ...containerRules,
  ...cloudRules,
  ...controlRules,
  ...databaseRules,
  ...publishRules,
  ...persistenceRules,
  ...hiddenProgramRules,
  ...loadedFileRules,
  ...tunnelRules,
  ...remoteSourceRules,
];

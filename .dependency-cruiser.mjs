// Which module may import which. A row of `modules` becomes one rule; its message names what is allowed.
// When a module is added, split or renamed: change this table and run `npm run architecture`.
export const modules = {
  core: [],
  process: ["core"],
  guard: ["core"],
  engine: ["core"],
  models: ["core"],
  http: ["core"],
  tools: ["core", "process", "guard"],
  tasks: ["core", "process"],
  mcp: ["core", "process", "guard", "http"],
  // The settings of a feature are declared with their defaults by the feature itself.
  config: ["core", "process", "guard", "engine", "permissions", "schedule", "tasks", "tool-files", "tools", "mcp"],
  records: ["core", "process", "guard", "engine", "tools", "config"],
  permissions: ["core", "process", "guard", "engine", "records", "mcp", "tool-files", "config"],
  "tool-files": ["core", "process", "guard", "engine", "permissions", "records", "tasks", "config"],
  agent: ["core", "guard", "engine", "permissions", "records", "tasks", "config"],
  schedule: ["core", "engine", "permissions", "records", "tasks", "tool-files", "config"],
  watchdog: ["core", "process"],
  // Everything above but the watchdog, which is a program of its own.
  runtime:
    "core process guard engine models tools tasks mcp config records permissions tool-files agent schedule".split(" "),
  doctor: "core process guard engine tools tasks config records permissions tool-files runtime".split(" "),
  daemon: ["core", "runtime", "http"],
  cli: ["core", "runtime", "http", "daemon", "watchdog"],
};

/** Modules that build on the runtime. Every other one may import its types only. */
const aboveRuntime = ["runtime", "doctor", "daemon", "cli"];

/** What the entry points (`cli`, `daemon`, `mcp/server`) may import beside the modules of their row. */
const publicFiles = [
  "agent/evidence/{evidence-view,read-answers}",
  "config/{folders,passwords-in-address,user-name,version}",
  "doctor/{diagnose,leftover-folders}",
  "guard/secrets/private-key",
  "guard/terminal-text/{clean-text,show-controls}",
  "mcp/server/",
  "permissions/{checker,open-grants}",
  "permissions/trust/{new-names,open-trust}",
  "process/{open-in-browser,own-command}",
  "process/detached/pid-file",
  "process/stop/{process-identity-check,process-table,send-signal}",
  "records/{claim-data-folder,live-outputs,read-call-output,recent-calls}",
  "records/audit-log/log-reader",
  "schedule/schedule-service",
  "schedule/jobs/{find-with-removed,job-view,warn-of-job}",
  "tasks/manager/task-service",
  "tool-files/{describe-tool-files,tool-file-status}",
  "tool-files/improve/improve-tool",
  "tool-files/manage/new-tool-file",
  "tool-files/rollout/service/{rollout-documents,rollout-series,rollouts}",
  "tool-files/versions/tool-versions",
  "tools/search/list-workdir-files",
].map((path) => `^src/${path.replace(/\{(.+)\}/, (_, names) => `(${names.replaceAll(",", "|")})`)}`);
const entryPoints = ["cli", "daemon", "mcp"];

const unlisted = `^src/(?!index\\.ts$|(${Object.keys(modules).join("|")})/)`;

const moduleRules = Object.entries(modules).map(([name, allowed]) => ({
  name: `module-${name}`,
  severity: "error",
  comment: `${name} may import: ${allowed.join(", ") || "nothing"}`,
  from: { path: `^src/${name}/` },
  to: {
    path: "^src/",
    pathNot: [
      ...[name, ...allowed].map((each) => `^src/${each}/`),
      ...(entryPoints.includes(name) ? publicFiles : []),
      ...(aboveRuntime.includes(name) ? [] : ["^src/runtime/"]),
    ],
  },
}));

export default {
  forbidden: [
    ...moduleRules,
    {
      name: "runtime-composes",
      severity: "error",
      comment: "what the runtime is composed of may import its types, and no value",
      from: { path: "^src/", pathNot: [...aboveRuntime.map((name) => `^src/${name}/`), "^src/index\\.ts$"] },
      to: { path: "^src/runtime/", dependencyTypesNot: ["type-only"] },
    },
    {
      name: "analysis-stands-alone",
      severity: "error",
      comment: "packages/command-analysis imports nothing from the rest of the repository",
      from: { path: "^packages/command-analysis/src/" },
      to: { path: "^(src|packages|test|bench|scripts|web)/", pathNot: "^packages/command-analysis/src/" },
    },
    {
      name: "testing-knows-the-vocabulary",
      severity: "error",
      comment: "packages/testing may import src/core",
      from: { path: "^packages/testing/src/" },
      to: { path: "^(src|packages|test|bench|scripts|web)/", pathNot: ["^packages/testing/src/", "^src/core/"] },
    },
    {
      name: "package-entry",
      severity: "error",
      comment: "src/index.ts lists the public names: it may import core and runtime",
      from: { path: "^src/index\\.ts$" },
      to: { path: "^src/", pathNot: ["^src/core/", "^src/runtime/"] },
    },
    ...[
      { from: { path: unlisted }, to: {} },
      { from: {}, to: { path: unlisted } },
      { from: { path: unlisted, orphan: true }, to: {} },
    ].map((where, index) => ({
      name: `no-unlisted-folder-${index + 1}`,
      severity: "error",
      comment:
        "every folder in src/ is a module of the table in .dependency-cruiser.mjs; only index.ts lies beside them",
      ...where,
    })),
    {
      name: "nobody-else-spawns",
      severity: "error",
      comment: "only src/process starts operating system processes: use runCommand or openPeer",
      from: { path: "^src/", pathNot: "^src/process/" },
      to: { path: "^(node:)?(child_process|cluster)$" },
    },
    {
      name: "sources-stand-alone",
      severity: "error",
      comment: "src/ imports nothing from test, bench, scripts, examples or dist",
      from: { path: "^src/" },
      to: { path: "^(test|bench|scripts|examples|dist|bin)/" },
    },
    {
      name: "dashboard-knows-types",
      severity: "error",
      comment: "web/ runs in a browser: of the sources it may import types of src/core, and nothing else",
      from: { path: "^web/" },
      to: { path: "^(src|test|bench|scripts|examples|dist|bin)/", pathNot: "^src/core/" },
    },
    {
      name: "dashboard-takes-no-values",
      severity: "error",
      comment:
        "web/ runs in a browser: what it imports of src/core is `import type`, but for what is worded alike in the terminal",
      from: { path: "^web/" },
      to: {
        path: "^src/",
        pathNot: "^src/core/time\\.ts$",
        dependencyTypesNot: ["type-only"],
      },
    },
    {
      name: "no-cycle",
      severity: "error",
      comment: "files that need each other's values are one file, or lack a third (cycles of types only are fine)",
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ["type-only"] } },
    },
    {
      name: "resolvable",
      severity: "error",
      comment: "the imported file does not exist (relative imports end in .ts)",
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    parser: "tsc",
    tsPreCompilationDeps: "specify",
    doNotFollow: { path: "node_modules" },
    exclude: { path: "^(test/fixtures/broken|dist)" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "default", "types"],
      extensions: [".ts", ".tsx", ".js", ".mjs"],
    },
  },
};

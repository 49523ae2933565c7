// Who may import whom. A row of `rooms` becomes one rule; its message names what is allowed.
// When a room is added, split or renamed: change this table and run `npm run architecture`.
export const rooms = {
  core: [],
  process: ["core"],
  safety: ["core"],
  gate: ["core", "process", "safety"],
  inbox: ["core"],
  journal: ["core", "safety"],
  store: ["core"],
  models: ["core"],
  tools: ["core", "process", "safety"],
  engine: ["core"],
  workshop: ["core", "process", "safety"],
  rollout: ["core"],
  agent: ["core", "engine"],
  tasks: ["core", "process"],
  schedule: ["core"],
  watchdog: ["core", "process"],
  // Everything above but the watchdog, which is a program of its own.
  runtime:
    "core process safety gate inbox journal store models tools engine workshop rollout agent tasks schedule".split(" "),
  http: ["core"],
  mcp: ["core", "runtime", "http"],
  daemon: ["core", "runtime", "http", "mcp"],
  cli: ["core", "runtime", "http", "mcp", "daemon", "watchdog"],
};

const unlisted = `^src/(?!index\\.ts$|(${Object.keys(rooms).join("|")})/)`;

const roomRules = Object.entries(rooms).map(([room, allowed]) => ({
  name: `room-${room}`,
  severity: "error",
  comment: `${room} may import: ${allowed.join(", ") || "nothing"}`,
  from: { path: `^src/${room}/` },
  to: { path: "^src/", pathNot: [room, ...allowed].map((name) => `^src/${name}/`) },
}));

export default {
  forbidden: [
    ...roomRules,
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
      comment: "every folder in src/ is a room of the table in .dependency-cruiser.mjs; only index.ts lies beside them",
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
      to: { path: "^src/", pathNot: "^src/core/(format-time|tell-scheduled)\\.ts$", dependencyTypesNot: ["type-only"] },
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

import { join } from "node:path";

/** Where things are, as a command sees them. */
export interface SandboxPlaces {
  readonly temporary: string;
  readonly cache: string;
}

/**
 * Variables that send programs to places they can write to, because the home folder can't be written. They replace
 * what the environment says.
 */
export function sandboxEnvironment({ temporary, cache }: SandboxPlaces): Record<string, string> {
  const caches = Object.entries(cacheVariables).map(([name, folder]) => [name, join(cache, folder)]);
  return { TMPDIR: temporary, XDG_CACHE_HOME: cache, ...Object.fromEntries(caches) };
}

/** Programs that do not go by XDG_CACHE_HOME; pip, uv, go's builds, deno, composer and others do. */
const cacheVariables = {
  npm_config_cache: "npm",
  pnpm_config_store_dir: "pnpm",
  YARN_CACHE_FOLDER: "yarn",
  YARN_GLOBAL_FOLDER: "yarn-global",
  BUN_INSTALL_CACHE_DIR: "bun",
  CARGO_HOME: "cargo",
  GOMODCACHE: "go-mod",
  GRADLE_USER_HOME: "gradle",
  NUGET_PACKAGES: "nuget",
};

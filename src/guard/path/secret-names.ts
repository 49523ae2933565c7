import { readFileSync, readdirSync, statSync, type Dirent } from "node:fs";
import { join } from "node:path";
import { foldName } from "./path-name.ts";
import { holdsToken, passesSecretPlace } from "./secret-places.ts";

/** Whether a path (as names, each below the one before) is one where secrets are kept. What is only an example is none. */
export function isSecretPath(names: readonly string[]): boolean {
  const folded = names.map(foldName);
  const name = folded.at(-1);
  if (name === undefined || isPublic(name)) return false;
  return isSecretName(name) || passesSecretPlace(folded);
}

function isSecretName(name: string): boolean {
  if (secretNames.has(name) || secretPatterns.some((pattern) => pattern.test(name))) return true;
  // A copy that an editor or a person left beside the file: `.env~`, `id_rsa.bak`, `.netrc.old`.
  const original = name.replace(copySuffix, "");
  return original !== name && isSecretName(original);
}

const copySuffix = /(?:~|\.(?:bak|backup|copy|old|orig|save|swp|tmp)|\.\d{1,8})$/;

function isPublic(name: string): boolean {
  return name.endsWith(".pub") || name === "known_hosts" || exampleOfEnvironment.test(name);
}

const exampleOfEnvironment =
  /^(?:\.env.*[._-](?:example|sample|template|dist|tpl|schema)|(?:example|sample|template)\.env|\.env[._-](?:example|sample|template)[._-].*)$/;

const secretNames = new Set([
  // Passwords and tokens of programs.
  ".netrc",
  "_netrc",
  ".pgpass",
  "pgpass.conf",
  ".my.cnf",
  ".mylogin.cnf",
  ".npmrc",
  ".yarnrc.yml",
  ".pypirc",
  ".git-credentials",
  ".htpasswd",
  ".dockercfg",
  ".dockerconfigjson",
  ".vault-token",
  ".s3cfg",
  ".boto",
  ".smbcredentials",
  ".cifscredentials",
  ".rediscli_auth",
  ".terraformrc",
  ".xauthority",
  "kubeconfig",
  "accesstokens.json",
  "application_default_credentials.json",
  // Deckhand's own, where the person's state lies inside the workdir.
  "daemon-token",
  "mcp-token",
  // What was typed into a shell.
  ".bash_history",
  ".zsh_history",
  ".sh_history",
  ".history",
  ".psql_history",
  ".mysql_history",
  ".sqlite_history",
  ".rediscli_history",
  ".python_history",
  ".node_repl_history",
]);

const secretPatterns = [
  // `.env`, `.env.local`, `.env-production`, `.envrc`, `prod.env`.
  /^\.env(?:rc)?(?:[._-].*)?$/,
  /^[^.].*\.env$/,
  // Private keys and stores of keys.
  /\.(?:pem|key|p12|pfx|pkcs12|p8|jks|jceks|bcfks|keystore|kdbx?|ppk|agekey)$/,
  /^id_(?:rsa|dsa|ecdsa|ed25519|xmss)(?:[._-].*)?$/,
  /^ssh_host_.*_key$/,
  // `credentials`, `.credentials.json`, `secrets.yaml`, `client_secret_123.json`, `service-account.json`.
  /^\.?credentials?(?:\.(?:json|ya?ml|toml|ini|cfg|conf|csv|xml|properties|db|enc|tfrc\.json))?$/,
  /^\.?secrets?\.(?:json|ya?ml|toml|ini|properties|enc)$/,
  /^(?:client_secrets?|service[_-]?account).*\.json$/,
];

/** What others wrote, and git's own: nobody keeps a secret of theirs there. */
const skipped = new Set(["node_modules", ".git", ".deckhand", ".venv", "venv", "__pycache__"]);
const mostEntries = 20_000;

export type SecretBelow =
  | { readonly found: string }
  /** `isWhole`: everything was looked at. */
  | { readonly found: null; readonly isWhole: boolean };

/** The first file in a folder, or below it, whose name is one for secrets. `hidden`: also behind names that begin with a dot. */
export function findSecretBelow(folder: string, { hidden }: { readonly hidden: boolean }): SecretBelow {
  const folders = [folder];
  let seen = 0;
  for (let at = folders.pop(); at !== undefined; at = folders.pop()) {
    for (const entry of entriesOf(at)) {
      seen += 1;
      if (seen > mostEntries) return { found: null, isWhole: false };
      if (skipped.has(entry.name) || (!hidden && entry.name.startsWith("."))) continue;
      const path = join(at, entry.name);
      // A link is read where it leads only when it is named itself.
      if (entry.isDirectory()) folders.push(path);
      else if (entry.isFile() && isSecretPath([entry.name]) && !isPlainSetting(entry.name, path))
        return { found: path };
    }
  }
  return { found: null, isWhole: true };
}

/** In most projects these hold no token, and every search would be asked about because of them. */
function isPlainSetting(name: string, path: string): boolean {
  if (name !== ".npmrc" && name !== ".yarnrc.yml") return false;
  try {
    return statSync(path).size < 65_536 && !holdsToken(readFileSync(path, "utf8"));
  } catch {
    return false;
  }
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // Not a folder, or not ours to read: then the command can't read it either.
    return [];
  }
}

import { foldName } from "./path-name.ts";

/*
 * Keys, tokens, histories and browser profiles below a home folder: the one list. The sandbox hides those that exist, and the
 * path guard asks before a file tool reads one, wherever it lies. In lower case only where the programs write it so; compared
 * without case. A folder stands for all that is in it.
 */

interface PlaceGroup {
  /** Where it is written down that programs keep secrets there. */
  readonly source: string;
  readonly paths: readonly string[];
  /** Names that projects use for other things: they count only directly below the home folder. */
  readonly homeOnly?: readonly string[];
}

const groups: readonly PlaceGroup[] = [
  {
    source: "ssh(1) FILES, gpg(1) FILES, pass(1), age and SOPS (getsops.io, “Encrypting using age”)",
    paths: [".ssh", ".gnupg", ".password-store", ".config/sops/age", ".config/age"],
    homeOnly: [".age"],
  },
  {
    source: "AWS CLI, Azure CLI, gcloud, OCI CLI, Boto, s3cmd, rclone: “Configuration and credential file settings”",
    paths: [
      ".aws",
      ".azure",
      ".config/gcloud",
      ".boto",
      ".s3cfg",
      ".config/rclone",
      ".rclone.conf",
      ".config/doctl",
      ".config/hcloud",
      ".config/linode-cli",
      ".config/scw",
    ],
    homeOnly: [".oci", ".aliyun", ".bluemix"],
  },
  {
    source: "kubectl kubeconfig, docker login and containers-auth.json(5), minikube, Helm registry config",
    paths: [".kube", ".docker/config.json", ".dockercfg", ".config/containers/auth.json", ".config/helm/registry"],
    homeOnly: [".docker", ".minikube"],
  },
  {
    source: "Vault token helper, Terraform CLI configuration, Pulumi login, Ansible Galaxy, Chef knife, Databricks CLI",
    paths: [
      ".vault-token",
      ".terraform.d",
      ".terraformrc",
      ".ansible/galaxy_token",
      ".databrickscfg",
      ".config/snowflake",
    ],
    homeOnly: [".pulumi", ".chef", ".databricks", ".snowflake"],
  },
  {
    source:
      "hosting CLIs: Heroku (.netrc), Vercel (XDG data and config), flyctl, Netlify, Railway, Render, Wrangler, Supabase",
    paths: [
      ".config/heroku",
      ".local/share/com.vercel.cli",
      ".config/vercel",
      ".config/com.vercel.cli",
      ".config/netlify",
      ".config/.wrangler",
      ".config/configstore",
    ],
    homeOnly: [".vercel", ".fly", ".netlify", ".railway", ".render", ".wrangler", ".supabase"],
  },
  {
    source:
      "gitcredentials(7), GitHub CLI, hub, GitLab CLI, GitHub Copilot, 1Password CLI, Bitwarden CLI, LastPass CLI",
    paths: [
      ".git-credentials",
      ".config/git/credentials",
      ".config/gh",
      ".config/hub",
      ".config/glab-cli",
      ".config/github-copilot",
      ".config/op",
      ".config/bitwarden cli",
    ],
    homeOnly: [".op", ".1password", ".lpass"],
  },
  {
    source:
      "package managers: Cargo registry credentials, RubyGems, Composer, Maven, Gradle, NuGet, PyPI, Poetry, sbt, Hex",
    paths: [
      ".cargo/credentials",
      ".cargo/credentials.toml",
      ".gem/credentials",
      ".local/share/gem/credentials",
      ".composer/auth.json",
      ".config/composer/auth.json",
      ".m2/settings-security.xml",
      ".nuget/nuget.config",
      ".pypirc",
      ".config/pypoetry/auth.toml",
      ".sbt/.credentials",
      ".ivy2/.credentials",
      ".hex/hex.config",
    ],
  },
  {
    source: "netrc(5), PostgreSQL .pgpass, MySQL option files, MongoDB, Redis, SQL*Plus, Samba, msmtp and mail clients",
    paths: [
      ".netrc",
      "_netrc",
      ".authinfo",
      ".authinfo.gpg",
      ".pgpass",
      ".my.cnf",
      ".mylogin.cnf",
      ".rediscli_auth",
      ".smbcredentials",
      ".msmtprc",
      ".fetchmailrc",
      ".mbsyncrc",
    ],
    homeOnly: [".mongorc.js"],
  },
  {
    source: "model providers and AI agents, each one's documentation of where it keeps its login",
    paths: [
      ".claude/.credentials.json",
      ".codex/auth.json",
      ".gemini/oauth_creds.json",
      ".gemini/google_accounts.json",
      ".qwen/oauth_creds.json",
      ".pi/auth.json",
      ".pi/agent/auth.json",
      ".local/share/opencode/auth.json",
      ".config/goose/secrets.yaml",
      ".aider.oauth-keys.env",
      ".cache/huggingface/token",
      ".cache/huggingface/stored_tokens",
      ".huggingface/token",
      ".kaggle/kaggle.json",
      ".config/wandb",
    ],
    homeOnly: [".claude.json", ".openai", ".anthropic"],
  },
  {
    source: "FILES of bash(1), zsh(1), fish(1), and of the clients whose prompts keep a history",
    paths: [
      ".bash_history",
      ".zsh_history",
      ".zsh_sessions",
      ".bash_sessions",
      ".sh_history",
      ".ksh_history",
      ".local/share/fish/fish_history",
      ".local/share/nushell",
      ".config/nushell/history.txt",
      ".local/share/atuin",
      ".python_history",
      ".node_repl_history",
      ".irb_history",
      ".psql_history",
      ".mysql_history",
      ".sqlite_history",
      ".rediscli_history",
      ".mongo_repl_history",
    ],
    homeOnly: [".history", ".mongodb", ".lesshst", ".viminfo", ".wget-hsts"],
  },
  {
    source:
      "profile folders of browsers and of Thunderbird on Linux (also as Snap and Flatpak), Secret Service key rings",
    paths: [
      ".mozilla",
      ".thunderbird",
      ".config/google-chrome",
      ".config/google-chrome-beta",
      ".config/google-chrome-unstable",
      ".config/chromium",
      ".config/BraveSoftware",
      ".config/microsoft-edge",
      ".config/vivaldi",
      ".config/opera",
      ".librewolf",
      ".var/app/org.mozilla.firefox",
      ".var/app/org.mozilla.Thunderbird",
      ".var/app/com.google.Chrome",
      ".var/app/org.chromium.Chromium",
      ".var/app/com.brave.Browser",
      ".var/app/com.microsoft.Edge",
      ".local/share/keyrings",
      ".local/share/kwalletd",
    ],
    homeOnly: [".zen", ".tor-browser", "snap/firefox", "snap/chromium", "snap/thunderbird"],
  },
  {
    source: "the same on macOS: File System Programming Guide, “The Library Directory Stores App-Specific Files”",
    paths: [],
    homeOnly: [
      "Library/Keychains",
      "Library/Cookies",
      "Library/Safari",
      "Library/Mail",
      "Library/Messages",
      "Library/Application Support/Google/Chrome",
      "Library/Application Support/Chromium",
      "Library/Application Support/BraveSoftware",
      "Library/Application Support/Microsoft Edge",
      "Library/Application Support/Firefox",
      "Library/Application Support/Thunderbird",
      "Library/Application Support/1Password",
      "Library/Group Containers/2BUA8C4S2C.com.1password",
    ],
  },
  {
    source:
      "virtual machines for containers, each with its SSH keys and a Docker socket: Colima, Lima, Rancher Desktop, OrbStack",
    paths: [".config/colima", ".local/share/containers/podman/machine"],
    homeOnly: [".colima", ".lima", ".rd", ".orbstack"],
  },
  { source: "X11 and remote desktops: xauth(1), VNC", paths: [".Xauthority", ".ICEauthority", ".vnc/passwd"] },
  { source: "Deckhand: grants, trust and tokens", paths: [".local/state/deckhand"] },
];

/**
 * Settings that now and then hold a token too: hidden and asked about only when they do, because package managers read their
 * registries, and git the name of its user, from them.
 */
export const mixedPlaces: readonly string[] = [
  ".npmrc",
  ".yarnrc.yml",
  ".config/pip/pip.conf",
  ".pip/pip.conf",
  ".config/uv/uv.toml",
  ".m2/settings.xml",
  ".gradle/gradle.properties",
  ".config/NuGet/NuGet.Config",
  ".condarc",
  ".bunfig.toml",
];

/** All of them, from the home folder down. */
export const secretPlaces: readonly string[] = groups.flatMap(({ paths, homeOnly = [] }) => [...paths, ...homeOnly]);

const anywhere = groups.flatMap(({ paths }) => paths.map((path) => path.split("/").map(foldName)));
const belowHome = secretPlaces.map((path) => path.split("/").map(foldName));
const anywhereByLastName = Map.groupBy(anywhere, (run) => run.at(-1)!);

/** Whether a path (as folded names, each below the one before) is such a place or lies in one, at any depth. */
export function passesSecretPlace(folded: readonly string[]): boolean {
  return folded.some((name, end) =>
    anywhereByLastName.get(name)?.some((run) => run.every((each, at) => folded[end + 1 - run.length + at] === each)),
  );
}

/** The same for the names from a home folder down. */
export function isSecretOfHome(names: readonly string[]): boolean {
  const folded = names.map(foldName);
  return belowHome.some((run) => run.every((name, at) => folded[at] === name));
}

/** Whether the content of a file at one of the `mixedPlaces` holds a token or a password, by the words around it. */
export function holdsToken(text: string): boolean {
  return /auth|password|token|secret|_key|cert|\/\/[^\s/@]+:[^\s/@]+@/i.test(text);
}

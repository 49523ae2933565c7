/** Folders at the root that belong to the operating system. `/var`, `/run` and `/root` have rules of their own. */
export const systemFolders: ReadonlySet<string> = new Set(
  (
    "etc usr bin sbin lib lib32 lib64 libx32 boot sys proc dev efi initrd system library applications cores snap " +
    "windows c:"
  ).split(" "),
);

export const harmlessDevices =
  /^\/(?:dev\/(?:null|zero|full|random|urandom|stdin|stdout|stderr|tty|ptmx|fd\/.*|pts\/.*|shm\/.*)|proc\/self\/fd\/.*)$/;

const startFiles: ReadonlySet<string> = new Set(
  (
    ".bashrc .bash_history .zsh_history .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin " +
    ".zlogout .kshrc .mkshrc .cshrc .tcshrc .login .xinitrc .xprofile .xsession .xsessionrc .pam_environment " +
    ".inputrc .gitconfig .netrc .pypirc authorized_keys .pythonrc .psqlrc .sqliterc .my.cnf .vimrc .ssh .aws " +
    ".gnupg .kube .rhosts"
  ).split(" "),
);

const ownFiles = /(?:^|\/)(?:\.deckhand(?:\/.*)?|deckhand\.jsonc?|\.mcp\.json)$/;
/** Its files say which programs git runs, and where it finds the rest of them: all of it, as for the file tools. */
const gitInternals = /(?:^|\/)\.git(?:\/.*)?$/;
const keyFolders = /(?:^|\/)\.(?:ssh|gnupg|aws|kube)(?:\/|$)/;
const agentSettings = /(?:^|\/)\.(?:claude|codex|gemini)\/(?:settings|config|hooks)[^/]*(?:\/|$)/;
const schedules = /(?:^|\/)(?:cron\.(?:d|daily|hourly|weekly|monthly)|crontabs)(?:\/|$)/;
const launchFolders = /(?:^|\/)launch(?:agents|daemons)(?:\/|$)/;

/** Whatever folder it is in. `path` in lower case. */
export function isProtectedName(path: string): boolean {
  const base = path.slice(path.lastIndexOf("/") + 1);
  if (startFiles.has(base) || ownFiles.test(path) || gitInternals.test(path) || keyFolders.test(path)) return true;
  return agentSettings.test(path) || schedules.test(path) || launchFolders.test(path);
}

const homeFolders = (
  ".config/autostart .config/systemd .config/environment.d .config/fish .config/git .config/gcloud .config/gh " +
  ".config/deckhand .local/state/deckhand .docker/config.json .config/containers .npmrc library/launchagents " +
  "library/keychains .local/share/keyrings .config/plasma-workspace .bashrc.d .oh-my-zsh .config/zsh " +
  ".config/nushell .cargo/config.toml .cargo/credentials.toml .pip/pip.conf .config/pip .yarnrc .yarnrc.yml " +
  ".m2/settings.xml .gradle/init.d .gem/credentials"
).split(" ");

/** Below a home folder. `path` in lower case, relative to it. */
export function isProtectedHomePath(path: string): boolean {
  return homeFolders.some((folder) => path === folder || path.startsWith(`${folder}/`)) || isProtectedName(path);
}

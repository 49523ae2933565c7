/** Programs whose output comes from another machine. */
export const networkPrograms: ReadonlySet<string> = new Set(
  "curl wget wget2 fetch http https httpie xh aria2c axel lynx links elinks w3m nc ncat netcat socat telnet ftp lftp tftp sftp scp ssh rsync dig host nslookup drill aws gsutil gcloud az gh glab ipfs websocat wscat kubectl".split(
    " ",
  ),
);

/** Those that fetch from anywhere, where the others need an account. */
export const downloaders: ReadonlySet<string> = new Set(
  "curl wget wget2 fetch aria2c nc ncat netcat socat telnet".split(" "),
);

/** Programs that turn one text into another one that nobody reads before it runs. */
export const decoders: ReadonlySet<string> = new Set(
  "base64 base32 base58 basenc xxd od hexdump uudecode rev tr openssl gpg gunzip gzip zcat bzip2 bunzip2 bzcat xz unxz xzcat zstd zstdcat unzstd lz4 lzcat brotli uncompress unzip 7z tac dd strings iconv recode rot13 caesar bc dc".split(
    " ",
  ),
);

/** Programs that print settings for the shell which are meant to be evaluated. */
const printsSettings =
  /^(?:ssh-agent|dircolors|brew shellenv|(?:pyenv|rbenv|nodenv|jenv|goenv) init|direnv (?:hook|export)|starship init|zoxide init|fnm env|mise (?:activate|env)|opam (?:env|config env)|minikube (?:\S+ )*docker-env|docker-machine env|register-python-argcomplete|perl -I\S+ -Mlocal::lib|keychain|fzf|conda shell\.\w+ hook|resize|ros2|aws configure export-credentials)\b/;

export function isSettingsPrinter(text: string): boolean {
  return printsSettings.test(text) && !/[;&|<>`$\n]/.test(text);
}

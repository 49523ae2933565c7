import { printsEnvironment } from "./environment-readers.ts";
import { findInterpreter } from "./code/interpreters.ts";
import { parseOptions, optionTable } from "./parse-options.ts";
import { scanCode } from "./code/scan-code.ts";
import type { SimpleCommand, Word } from "./simple-command.ts";

const secretNames = [
  /(?:^|\/)\.env(?:\.(?!example$|sample$|template$|dist$|defaults?$)[^/]*)?$/,
  /\.(?:pem|p12|pfx|key|keystore|jks|kdbx|ppk|asc|agekey)$/,
  /(?:^|\/)id_(?:rsa|dsa|ecdsa|ed25519|xmss)[^/]*$/,
  /(?:^|\/)\.(?:ssh|aws|gnupg|kube|azure|password-store|electrum|bitcoin|ethereum|docker|oci|config\/gcloud|config\/gh)(?:\/|$)/,
  /(?:^|\/)\.(?:netrc|pgpass|npmrc|pypirc|git-credentials|my\.cnf|vault-token|s3cfg|boto|htpasswd|terraformrc|dockercfg)$/,
  /(?:^|\/)\.(?:bash|zsh|sh|psql|mysql|python|node_repl|sqlite|rediscli)_?history$/,
  /(?:^|\/)(?:credentials|secrets?|service[-_]account[^/]*|client_secret[^/]*|master\.key|kubeconfig|wallet)(?:\.(?:json|ya?ml|toml|xml|ini|txt|db|enc|dat|properties))?$/,
  /^\/etc\/(?:shadow|gshadow|sudoers|passwd|ssh\/|ssl\/private)/,
  /^\/proc\/(?:self|[0-9]+|\*)\/environ$/,
  /(?:^|\/)(?:login data|cookies|key[34]\.db|logins\.json|cookies\.sqlite|web data|login\.keychain(?:-db)?)$/,
  /(?:^|\/)library\/(?:keychains|application support\/(?:google|firefox|bravesoftware))/,
  /(?:^|\/)\.(?:mozilla|config\/(?:google-chrome|chromium|bravesoftware)|local\/share\/keyrings)(?:\/|$)/,
  /(?:^|\/)run\/secrets(?:\/|$)|\/var\/run\/secrets\//,
];

export function isSecretPath(path: string): boolean {
  const lower = path.toLowerCase();
  if (/\.pub$|known_hosts$/.test(lower)) return false;
  return secretNames.some((pattern) => pattern.test(lower));
}

const printers = optionTable("0 u|unset= i|ignore-environment C= S= null p n x", { stopsAtOperand: true });

/** The command's output, or a file it names, holds secrets. */
export function isSecretSource(command: SimpleCommand): boolean {
  const { name, words } = command;
  if (
    /^(?:grep|rg|egrep|fgrep)$/.test(name) &&
    words.slice(1).some((word) => /passw|secret|token|api.?key|private.key|credential|AKIA/i.test(word.text))
  )
    return true;
  if (
    /^(?:grep|rg|egrep|fgrep|sed|awk)$/.test(name)
      ? words.slice(2).some(isSecretWord)
      : words.slice(1).some(isSecretWord)
  )
    return true;
  if (command.redirects.some(({ operator, target }) => operator === "<" && isSecretPath(target.text))) return true;
  if (command.input.kind === "file" && isSecretPath(command.input.path.text)) return true;
  const texts = words.slice(1).map((word) => word.text);
  if (name === "env" || name === "printenv")
    return parseOptions(words.slice(1), printers).operands.every((word) =>
      /token|secret|key|pass|cred/i.test(word.text),
    );
  if (name === "set") return texts.length === 0;
  if (name === "export" || name === "declare" || name === "typeset")
    return texts.every((text) => /^-[a-z]*[px]/.test(text));
  if (name === "history" || name === "fc") return true;
  if (printsEnvironment(command) || namesSecretInCode(command)) return true;
  return (
    printsCredentials(name, texts.filter((text) => !text.startsWith("-")).join(" ")) ||
    (name === "gpg" && texts.some((text) => text.startsWith("--export-secret")))
  );
}

/** `awk 'BEGIN{while((getline l < ".env")>0)print l}'` */
function namesSecretInCode(command: SimpleCommand): boolean {
  const interpreter = findInterpreter(command);
  if (interpreter === null || interpreter.language === "shell") return false;
  return interpreter.codes.some(({ text }) =>
    scanCode(interpreter.language, text).strings.some((value) => value.length < 4096 && isSecretPath(value)),
  );
}

function printsCredentials(name: string, operands: string): boolean {
  const entry = credentialPrinters.find(([program]) => program.test(name));
  return entry !== undefined && entry[1].test(operands);
}

const credentialPrinters: readonly (readonly [RegExp, RegExp])[] = [
  [/^git$/, /^credential fill|credential-\w+ get/],
  [/^gh$/, /^auth (?:token|status)/],
  [
    /^aws$/,
    /configure (?:export-credentials|get)|sts (?:get-session-token|assume-role)|secretsmanager get-secret|ssm get-parameter|ecr get-login/,
  ],
  [/^gcloud$/, /auth (?:application-default )?print-access-token|auth print-identity-token|secrets versions access/],
  [/^az$/, /account get-access-token|keyvault secret show/],
  [/^kubectl$/, /get secrets?|config view|create token/],
  [/^(?:op|bw|pass|vault|doppler|lpass|secret-tool|gopass|keyring|chamber)$/, /./],
  [/^security$/, /find-(?:generic|internet)-password|dump-keychain|export/],
  [/^heroku$/, /^(?:auth:token|config)/],
  [/^npm$/, /^token|config get .*auth/],
  [/^docker$/, /^(?:inspect|context export)/],
  [/^ps$/, /^(?:aux|auxe+|e+w+|axe.*)$/],
];

export function isSecretWord(word: Word): boolean {
  const text = word.text.replace(/^[@<]/, "").replace(/^[A-Za-z_-]+=@?/, "");
  return (
    isSecretPath(text) ||
    /\$\{?[A-Z0-9_]*(?:SECRET|TOKEN|PASSWORD|PASSWD|API_?KEY|PRIVATE_?KEY|ACCESS_?KEY|CREDENTIALS?)[A-Z0-9_]*\}?/.test(
      word.text,
    )
  );
}

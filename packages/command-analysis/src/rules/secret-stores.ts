import type { Finding } from "../finding.ts";
import type { SimpleCommand } from "../simple-command.ts";

/** What a program that keeps keys or secrets does, by its words after the program, joined by blanks. */
type StoreRow = readonly [programs: string, pattern: RegExp];

/** Shows what it keeps, or hands out a token. */
const shows: readonly StoreRow[] = [
  [
    "gpg gpg2",
    /(?:^| )--?export-secret-(?:sub)?keys?(?: |$)|(?:^| )(?:--decrypt|-d)(?: .*)? \S*(?:secret|passw|passwd|cred|token|private|pw)\S*$/i,
  ],
  ["ssh-keygen", /(?:^| )-[a-z]*(?:y|e)(?: |$)/],
  ["npm pnpm yarn", /^(?:npm )?token(?: |$)|^config get .*(?:_auth|token)/],
  ["gh glab", /^auth (?:token|status.* (?:--show-token|-t)(?: |$)|git-credential)/],
  [
    "security",
    /^(?:find-(?:generic|internet)-password|dump-keychain|export|unlock-keychain|find-key|find-identity -p)/,
  ],
  ["secret-tool", /^(?:lookup|search)/],
  ["pass gopass", /^(?!(?:ls|list|find|search|help|version|git|init)(?: |$))./],
  ["op", /^(?:read|run|inject|signin|(?:item|document|user) get|item list.*--format)/],
  ["bw bitwarden rbw", /^(?:get|export|unlock|list items|code|history)/],
  ["lpass", /^(?:show|export)/],
  ["keepassxc-cli", /^(?:show|export|clip|extract|attachment-export)/],
  [
    "vault bao",
    /^(?:kv get|kv export|read|token (?:create|lookup)|login|unwrap|operator (?:generate-root|init)|print token)/,
  ],
  [
    "aws awslocal",
    /(?:^| )(?:secretsmanager (?:batch-)?get-secret|ssm get-parameter.*--with-decryption|sts (?:get-session-token|assume-role|get-federation-token)|configure (?:export-credentials|get .*(?:key|token))|kms decrypt|iam create-access-key|codeartifact get-authorization)/,
  ],
  [
    "gcloud",
    /(?:^| )(?:secrets versions access|auth (?:application-default )?print-(?:access|identity)-token|iam service-accounts keys create|kms decrypt|sql users)/,
  ],
  [
    "az",
    /(?:^| )(?:keyvault (?:secret|key|certificate) (?:show|download|backup|list-versions.*value)|account get-access-token|.* (?:keys|credential|connection-string) (?:list|show|reset)|ad sp create-for-rbac)/,
  ],
  [
    "kubectl oc k kubecolor",
    /(?:^| )(?:create token|whoami -t|config view.*--raw|(?:sa|serviceaccounts) get-token)(?: |$)/,
  ],
  [
    "kubectl oc k kubecolor",
    /(?:^| )get .*\bsecrets?\b.* (?:-o|--output|--template)(?![= ]?(?:name|wide)(?: |$))|(?:^| )extract .*\bsecret/,
  ],
  [
    "doppler",
    /^(?:secrets(?: (?:get|download))?(?: -.*)?$|secrets (?:get|download)|run --command .*printenv|configs tokens)/,
  ],
  ["chamber", /^(?:read|export|env|exec|list .*-e)/],
  ["infisical", /^(?:secrets|export)(?: |$)/],
  ["sops", /(?:^| )(?:-d|--decrypt|decrypt|exec-env|exec-file|--extract)(?: |$)/],
  ["age rage", /(?:^| )(?:-d|--decrypt)(?: |$)|(?:^| )-[a-z]*d[a-z]*(?: |$)/],
  ["ansible-vault", /^(?:decrypt|view|edit|rekey)/],
  ["git", /^(?:-\S+ )*credential(?:-\S+)? (?:fill|get)/],
  ["git-credential-*", /(?:^| )get(?: |$)/],
  ["docker-credential-*", /^(?:get|list)/],
  ["fly flyctl", /^(?:auth token|tokens create)/],
  ["keyring", /^get/],
  ["kwallet-query", /(?:^| )-r(?: |$)/],
  ["cmdkey", /^\/list/i],
  ["keytool", /(?:^| )-(?:exportcert|importkeystore|storepasswd|keypasswd|delete|genkeypair)(?: |$)/],
  ["certutil", /(?:^| )-(?:exportpfx|D)(?: |$)|^pk12util/i],
  ["pk12util", /(?:^| )-o(?: |$)/],
  ["credstash berglas confidant", /^(?:get|getall|access|decrypt)/],
  ["bitwarden-cli dashlane dcli 1password", /^(?:get|read|password|item)/],
  ["wg", /^(?:genkey|showconf|show .* private-key)/],
];

/** Deletes or replaces keys and secrets. */
const changes: readonly StoreRow[] = [
  ["gpg gpg2", /(?:^| )--?(?:delete-secret\S*|delete-keys?|gen-revoke|edit-key|change-passphrase|passwd)(?: |$)/],
  ["gpgconf", /(?:^| )--(?:kill|reload|launch)(?: |$)/],
  ["ssh-add", /(?:^| )-[a-zA-Z]*[dDxX](?: |$)/],
  ["ssh-keygen", /(?:^| )-[a-z]*(?:p|A|s)(?: |$)/],
  [
    "gh glab",
    /^(?:secret|variable) (?:set|delete|remove)|^(?:auth (?:logout|refresh|setup-git)|ssh-key (?:add|delete)|gpg-key (?:add|delete))/,
  ],
  [
    "security",
    /^(?:delete-|set-|add-(?:generic|internet)-password|import|create-keychain|add-trusted-cert|remove-trusted-cert|authorizationdb write)/,
  ],
  ["secret-tool", /^(?:clear|store)/],
  ["op", /^(?:item|vault|document|user|group|connect|service-account) (?:delete|edit|create|suspend)/],
  ["bw bitwarden rbw", /^(?:delete|edit|create|remove|purge|import|restore)/],
  ["lpass", /^(?:rm|edit|add|generate|import)/],
  ["keepassxc-cli", /^(?:rm|rmdir|edit|add|import|mv)/],
  [
    "vault bao",
    /^(?:kv (?:delete|destroy|metadata delete)|delete|secrets (?:disable|move|tune)|auth (?:disable|enable)|policy (?:write|delete)|token revoke|lease revoke|operator (?:seal|rekey|rotate|step-down|raft)|audit disable|namespace delete)(?: |$)/,
  ],
  [
    "aws awslocal",
    /(?:^| )(?:secretsmanager (?:put|update|delete|create|rotate|restore|remove)-|ssm (?:put|delete)-parameter|kms (?:schedule-key-deletion|disable-key|delete|put-key-policy))/,
  ],
  [
    "gcloud",
    /(?:^| )secrets (?:create|delete|update|versions (?:add|destroy|disable))|(?:^| )kms keys versions (?:destroy|disable)/,
  ],
  [
    "az",
    /(?:^| )keyvault (?:secret|key|certificate) (?:delete|set|purge|import|create|restore)|(?:^| )keyvault (?:delete|purge|set-policy|delete-policy)/,
  ],
  ["kubectl oc k kubecolor", /(?:^| )(?:delete|edit|patch|replace) secrets?(?: |\/|$)/],
  ["doppler", /^(?:secrets (?:set|delete|upload)|projects delete|environments delete)/],
  ["chamber", /^(?:write|delete|import)/],
  ["infisical", /^secrets (?:set|delete)/],
  ["fly flyctl", /^secrets unset/],
  ["heroku", /^config:unset/],
  ["vercel", /^env (?:rm|remove)/],
  ["netlify", /^env:unset/],
  ["wrangler", /^secret delete/],
  ["git", /^(?:-\S+ )*credential(?:-\S+)? (?:approve|reject|erase|store)/],
  ["docker-credential-*", /^(?:store|erase)/],
  ["keyring", /^(?:set|del)/],
  ["cmdkey", /^\/(?:add|delete)/i],
  ["pass gopass", /^(?:rm|remove|delete|edit|insert|generate|mv|cp)(?: |$)/],
];

const reading = "It shows keys, tokens or passwords, or hands out a new one.";
const changing = "It deletes or replaces keys, tokens or passwords.";

/**
 * Programs that keep keys and secrets, as one family. What such a program prints as the value of an authorising header is what a
 * token is for: `used` says so.
 */
export function judgeSecretStores(
  commands: readonly SimpleCommand[],
  isUsed: (command: SimpleCommand) => boolean,
): Finding[] {
  return commands.flatMap((command): Finding[] => {
    const text = command.words
      .slice(1)
      .map((word) => word.text)
      .join(" ");
    if (/(?:^| )(?:--help|-h|help)(?: |$)/.test(text)) return [];
    if (command.words.some((word) => word.text === "--dry-run=client")) return [];
    if (matches(changes, command.name, text) || overwritesKey(command))
      return [{ verdict: "danger", rule: "secrets.change", reason: changing, command: command.source }];
    if (matches(shows, command.name, text) && !isUsed(command))
      return [{ verdict: "danger", rule: "secrets.show", reason: reading, command: command.source }];
    return [];
  });
}

/** Asked whether to overwrite a key, it gets its answer from the command. */
function overwritesKey({ name, input }: SimpleCommand): boolean {
  return name === "ssh-keygen" && (input.kind === "commands" || input.kind === "text");
}

function matches(rows: readonly StoreRow[], name: string, text: string): boolean {
  return rows.some(([programs, pattern]) => isNamed(programs, name) && pattern.test(text));
}

function isNamed(programs: string, name: string): boolean {
  return programs
    .split(" ")
    .some((program) => (program.endsWith("*") ? name.startsWith(program.slice(0, -1)) : program === name));
}

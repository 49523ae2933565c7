import type { KeyStrength, SecretKey } from "./secret-keys.ts";

/** In what surroundings a value stands. */
export interface ValueSetting {
  readonly isQuoted: boolean;
  /** What stands here is the value itself and no code: an option, a variable of the environment, a query, an element. */
  readonly isLiteral: boolean;
  /** Key and value have a line of their own, as in YAML, ini and .netrc. */
  readonly hasOwnLine: boolean;
  /** Joined as no program would: by a colon, or by a sign without spaces. */
  readonly isSetting: boolean;
  /** The sign between them is far from an assignment: a column, a comma, a sentence. */
  readonly isLoose: boolean;
  /** It is alone on one of the lines below its key. */
  readonly isBelow?: boolean;
  /** It is a word of a command for the shell. */
  readonly isCommand?: boolean;
}

const leastLength = 8;
/** Of a password in a command: nothing else is behind `PASSWORD=` and `--password` there. */
const leastInCommand = 6;

/** Whether the value behind such a key is a secret, and not a word about one. */
export function isSecretValue(value: string, { strength, family }: SecretKey, setting: ValueSetting): boolean {
  const head = value.slice(0, 128);
  if (strength === "pin") return /^\d{4,8}$/.test(head) && !setting.isLoose && !/^(?:19|20)\d\d$/.test(head);
  if (
    isTooShort(head, strength, setting) ||
    isReference(head) ||
    isPlaceholder(head) ||
    isPath(head) ||
    isForeignText(head)
  )
    return false;
  if (!setting.isQuoted && (isCall(head) || (!setting.isLiteral && isExpression(head)))) return false;
  if (setting.isBelow) return isSecretBelow(head, strength, setting);
  if (setting.isLoose) return !/\s/.test(head) && isLooseSecret(head, strength, setting);
  switch (strength) {
    case "password":
      if (family === "secret") return head.split(/\s+/).length >= 8 || looksRandom(head);
      return setting.isQuoted ? !isLabel(head) : isPlainPassword(head, setting);
    case "token":
      return isToken(head, family, setting);
    case "doubtful":
      return !/\s/.test(head) && (looksVeryRandom(head) || isBasicAuth(head));
  }
}

/** Any word may stand below a heading: one that is a secret has digits or signs in it. */
function isSecretBelow(value: string, strength: KeyStrength, { isQuoted }: ValueSetting): boolean {
  if (isLabel(value) || isWordy(value.replace(/[.,:;!?]+$/, ""))) return strength === "password" && endsInNumber(value);
  if (strength !== "password") return looksVeryRandom(value);
  return isQuoted || looksRandom(value);
}

function isTooShort(value: string, strength: KeyStrength, { isCommand, isLiteral, isLoose }: ValueSetting): boolean {
  if (value.length >= leastLength) return false;
  if (!isCommand || strength !== "password" || !isLiteral || isLoose) return true;
  return value.length < leastInCommand || !/\d/.test(value) || !/[a-z]/i.test(value);
}

function isLooseSecret(value: string, strength: KeyStrength, { isQuoted, hasOwnLine }: ValueSetting): boolean {
  if (!isQuoted && strength === "password" && hasOwnLine && endsInNumber(value)) return true;
  if (!isQuoted) return looksVeryRandom(value) || (strength === "password" && isPhrase(value));
  return (
    looksRandom(value) ||
    (strength === "password" && /\d/.test(value) && !isLabel(value) && !/^[a-z]+(?:-[a-z]+)*-\d{3}$/.test(value))
  );
}

/** `blue-Horse-42-stapler`: four parts, one of them a number, and a capital that no sentence asks for. */
function isPhrase(value: string): boolean {
  return (
    /^[A-Za-z\d]+(?:[-_.][A-Za-z\d]+){3,}$/.test(value) &&
    /(?:^|[-_.])\d+(?:[-_.]|$)/.test(value) &&
    /[a-z].*[-_.][A-Z][a-z]/.test(value) &&
    !/(?:sha|md5|utf|base|aes|crypt|rsa|iso|ascii|char|digit|version)/i.test(value)
  );
}

function isPlainPassword(value: string, { isLiteral, hasOwnLine, isSetting }: ValueSetting): boolean {
  if (isAboutSecrets(value) || statusWords.has(value.toLowerCase())) return false;
  if (isLiteral) return true;
  // A name in a program is made of words; a type may end in a number, but one of few.
  if ((isSetting || hasOwnLine) && !isNameLike(value)) return true;
  if (isSetting && endsInNumber(value)) return true;
  if (!isWordy(value)) return !/^[A-Za-z_$][\w$]*\d$/.test(value) || looksRandom(value);
  // No name in a program has a hyphen in it.
  if ((isSetting || hasOwnLine) && /-/.test(value) && /\d/.test(value)) return true;
  // `password: str`, `password = other_name`: code. `password: summer22` on its own line: a setting.
  return hasOwnLine && (isSetting ? /^[a-z]+[a-z\d-]*$/ : /^[a-z]+[a-z-]*\d+$/).test(value);
}

/** `summer2026`, `GofmtPass77`; not `varchar255`, `sha256`. */
function endsInNumber(value: string): boolean {
  return (
    /^[A-Za-z][A-Za-z_.-]*\d{2,}$/.test(value) &&
    !/(?:int|float|double|utf|base|sha|md|vec|char|string|text|bytes|bits?|crypt|pbkdf|argon|v|x)_?\d+$/i.test(value)
  );
}

function isToken(value: string, family: string, { isQuoted, isLiteral, hasOwnLine }: ValueSetting): boolean {
  if (/\s/.test(value) || /^[\d.,_-]+$/.test(value)) return false;
  if (isLiteral && family === "secret" && /^[a-z]{12,}$/i.test(value) && !statusWords.has(value.toLowerCase()))
    return true;
  if (!looksRandom(value)) return false;
  const isName = /^[A-Za-z_$][\w$]*$/.test(value);
  return isQuoted || isLiteral || hasOwnLine || !isName || looksVeryRandom(value);
}

/** What a form, a message or a test calls its field: `Enter your password`, `password-input`, `required|min:8`. */
function isLabel(value: string): boolean {
  if (isAboutSecrets(value) || statusWords.has(value.toLowerCase())) return true;
  if (/^(?:required|nullable|sometimes|string|text|varchar|char)\b/i.test(value)) return true;
  if (!/\s/.test(value)) return /^[A-Z][a-z]+$/.test(value) && /pass|wort|code/i.test(value);
  const words = value.split(/\s+/);
  if (words.some((word) => looksRandom(word.replace(/[.,:;!?]+$/, "")))) return false;
  return (
    /[\p{L}\d)][.?!:]$/u.test(value) ||
    /passwor[dt]|kennwort|passphrase|contraseña|senha|token|secret/i.test(value) ||
    words.some((word) => commonWords.has(word.toLowerCase().replace(/[^a-z']/g, "")))
  );
}

/** Names of fields and placeholders are made of such words: `login-password`, `#password`, `user_password`. */
function isAboutSecrets(value: string): boolean {
  return (
    isWordy(value.replace(/^[#.$]/, "")) &&
    /(?:^|[-_.#$ ]|(?<=[a-z])(?=[A-Z]))(?:password|passwd|passphrase|token|secret|credentials?|apikey|key)s?(?:$|[-_. ]|(?=[A-Z]))/i.test(
      value,
    )
  );
}

/** Prose in other scripts: a password would have digits, and no spaces. */
function isForeignText(value: string): boolean {
  if (/\d.*\d/.test(value) && /^[\p{L}\p{N}\p{P}\p{S}]+$/u.test(value)) return false;
  return /[\p{Script=Hangul}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Cyrillic}]/u.test(value);
}

function isBasicAuth(value: string): boolean {
  if (!/^[A-Za-z0-9+/_-]{8,}={0,2}$/.test(value)) return false;
  return /^[\x21-\x7e]{1,128}:[\x20-\x7e]{3,512}$/.test(Buffer.from(value, "base64").toString("latin1"));
}

const statusWords = new Set(
  "required optional incorrect disabled enabled missing invalid expired redacted unchanged accepted rejected forbidden generated encrypted undefined password passwords provided supported protected successful succeeded verified mismatch unavailable authentication authorization credentials obligatoire obligatoria obligatorio obrigatória obrigatório obbligatoria obbligatorio erforderlich notwendig requerida requerido requise requis necesaria necesario necessaria necessario wymagane verplicht zorunlu gerekli incorrecta incorrecto incorrecte incorreta errata ungültig inválida inválido invalide vergessen geändert oublié olvidada esquecida optionnel opcional facultatif validation confirmed configured inherited automatic provider database basicauth".split(
    " ",
  ),
);

const commonWords = new Set(
  "the a an your you my is are was be must should can cannot can't at to for of in on or and not no please enter forgot forgotten reset new old current change changed confirm repeat again required optional invalid wrong incorrect too short long least characters with without this that it set do don't show hide type use password passwords token secret field".split(
    " ",
  ),
);

/** Whether a value looks made by a machine, or at least by somebody who hid something; words joined by signs do not. */
export function looksRandom(value: string): boolean {
  if (value.length < 8 || isWordy(value.replace(/^[^A-Za-z0-9]+|[^A-Za-z0-9=]+$/g, ""))) return false;
  if (!/[A-Za-z]/.test(value)) return false;
  return /\d/.test(value) || /[+/!@#$%^&*=?~]/.test(value) || hasScatteredLetters(value);
}

/** A stricter form for places that are hardly ever about a secret, such as a column or a sentence. */
export function looksVeryRandom(value: string): boolean {
  if (!looksRandom(value)) return false;
  const digits = value.match(/\d/g)?.length ?? 0;
  if (/[!@#$%^&*+=]/.test(value) && digits > 0) return true;
  if (digits < 2) return false;
  if (value.length < 12) return /[a-z]/.test(value) && /[A-Z]/.test(value) && /[A-Za-z]\d+[A-Za-z]+\d/.test(value);
  return /[a-z]\d+[a-z]/i.test(value) || (/[a-z]/.test(value) && /[A-Z]/.test(value));
}

const word = /^(?:[A-Za-z]+\d{0,3}|\d{1,4}|v?\d+[a-z]?)?$/;

/** `my-app-secret`, `gpt-4-turbo`, `oauth2.token`, `v1.2.3`: letters, perhaps with a number at the end, joined by signs. */
export function isWordy(value: string): boolean {
  return value.split(/[-_.:/\s]+/).every((part) => word.test(part) && !hasScatteredLetters(part));
}

/** Words change case only where one begins, and have vowels. */
function hasScatteredLetters(value: string): boolean {
  if (value.length < 16) return false;
  const changes = value.match(/[a-z](?=[A-Z])|[A-Z](?=[a-z])/g)?.length ?? 0;
  if (changes / value.length > 0.35) return true;
  const vowels = value.match(/[aeiou]/gi)?.length ?? 0;
  return value.length >= 20 && vowels / value.length < 0.2;
}

/** Letters as in a name of a program: `otherName`, `SecretString2`, `HTTPClient`. What has digits or signs inside is not judged. */
function isNameLike(value: string): boolean {
  const letters = value.replace(/\d{1,3}$/, "");
  if (!/^[A-Za-z]+$/.test(letters) || letters === letters.toLowerCase() || letters === letters.toUpperCase())
    return true;
  const words = letters.match(/[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+/g) ?? [];
  return words.filter((each) => !isWord(each)).length * 2 <= words.length && words.every((each) => each.length < 16);
}

function isWord(part: string): boolean {
  return part.length >= 2 && part !== part.toUpperCase() && /[aeiouy]/i.test(part);
}

/** Whether a value only stands for a secret: a variable, a template, the name of one, a link, or what is already masked. */
export function isReference(value: string): boolean {
  return references.some((pattern) => pattern.test(value));
}

/** A value without quotes may also be code, even where only values are expected. */
export function isCall(value: string): boolean {
  return call.test(value);
}

/** The same where code is as likely as a value. */
export function isExpression(value: string): boolean {
  return expressions.some((pattern) => pattern.test(value));
}

const references: readonly RegExp[] = [
  // Shells, templates and configuration: $X, ${X}, $(cat x), ${{ secrets.X }}, {{ x }}, <%= x %>, #{x}, %X%, %(x)s, %s, `cat x`.
  /^\$(?:[A-Za-z_{(]|env:)|^\{\{|\$\{|\{\{|\$\(|^<%|^#\{|^%[A-Za-z_]+%$|^%\(|^%[a-z]$|^`/,
  // Placeholders for parameters: :password, {password}, <token>, @Password, [MASKED:…].
  /^:[A-Za-z_]+$|^\{[^{}]*\}$|^<[^<>]*>$|^@[A-Za-z_]+(?:$|\()|^\[[^[\]]*\]$|\[MASKED:/,
  // Patterns of sed, grep and others.
  /^(?:\.[*+]|\[\^|\(\?|\\[sSwWdDb]|(?:qr|qw|q|m|s|tr|y)[/{(|!#[]|&(?:lt|#x3c|#60);)/i,
  // What names a file or another secret: docker's `--secret id=npmrc,src=…`.
  /^(?:id|type|source|src|env|file|name)=/,
  // YAML tags, anchors and aliases; encrypted values of sops and ansible; secret stores.
  /^!(?:!|Ref|Sub|GetAtt|ImportValue|Join|Select|vault|secret|env_var|include|reference)\b|^&[a-z]+$|^\*[a-z]+$|^ENC\[|^\$ANSIBLE_VAULT|^(?:op|vault|ssm|arn|secretsmanager|secret|keyring|env|file|gcpsm|awssm|akv|ref\+\w+):/i,
  // Digests of something public, dates, places in a file, links.
  /^(?:sha(?:1|224|256|384|512)|md5|blake\w{1,4})[:-]|^\d{4}-\d\d-\d\d(?:$|[T ])|^[a-z][a-z0-9+.-]{1,20}:\/\//i,
];

/** Calls and look-ups: getToken(), os.environ["X"], new Secret(…); what minified code goes on with. */
const call = /^[A-Za-z_$][\w$]{0,60}(?:(?:\.|::|->|\?\.)[A-Za-z_$][\w$]{0,60}){0,8}!?(?:[([]|\)?\}|\)[,;.)])/;

const expressions: readonly RegExp[] = [
  // Members: process.env.X, config.password, var.db_password, secrets.TOKEN.
  /^[A-Za-z_$]+(?:\d{1,5}[A-Za-z_$]*)?(?:(?:\.|::|->|\?\.)[A-Za-z_$]+(?:\d{1,5}[A-Za-z_$]*)?){1,8}[!;,)]*$/,
  // Objects, lists, regular expressions, operators, line numbers.
  /^[{[<(]|^\/\^|^\\|^=>|^\|\||^&&|^!==?|^===?|^\d+:/,
];

const placeholder =
  /^(?:your|my_?own|some|any|insert|enter|replace|put|paste|add|change|fill|set|use|todo|fixme|tbd|dummy|fake|sample|example|placeholder|redacted|masked|hidden|removed|secret_?here|token_?here|xxx|abc123|none|null|undefined|nil|false|true|nan|void|optional|required|string|number|boolean|object|unknown)(?:$|[-_ .:<>[\](){}])|(?:[-_ .]|^)(?:your|goes|here|placeholder|changeme|change-me|change_me|replaceme|example|redacted)(?:[-_ .]|$)|^change_?-?me|^(?:password|passwd|passphrase|passw0rd|secret|token|apikey|api[-_]key|access[-_]?token|client[-_]?secret|secret[-_]?key|private[-_]?key|auth[-_]?token|bearer|credentials?|testtest|\.{3}.*|.*\.{3}|.*…)$/i;

/** Whether a value is there for somebody to replace: `your-api-key`, `xxxxxxxx`, `<token>`, `********`. */
export function isPlaceholder(value: string): boolean {
  const head = value.slice(0, 200);
  return hasFewSigns(head) || placeholder.test(head);
}

/** `xxxxxxxx`, `********`, `XXXX-XXXX`, `00000000`. */
function hasFewSigns(value: string): boolean {
  return (
    countSigns(value, 3) <= 2 ||
    countSigns(value.replaceAll(/[-_. ]/g, "").toLowerCase(), 2) <= 1 ||
    /[x*•.]{6}/i.test(value)
  );
}

/** How many different signs there are; no need to count further than `enough`. */
function countSigns(text: string, enough: number): number {
  let seen = "";
  for (const sign of text) {
    if (seen.includes(sign)) continue;
    seen += sign;
    if (seen.length >= enough) break;
  }
  return seen.length;
}

/** Files, by path. A secret in base64 may begin with a slash, too, but no folder is called like that. */
export function isPath(value: string): boolean {
  if (/^[A-Za-z]:[\\/]/.test(value)) return true;
  if (!/^(?:~|\.{1,2})?\/[\w.@%+ -]+(?:\/[\w.@%+ -]*)*$/.test(value)) return false;
  return (
    !value
      .split("/")
      .some((part) => part.length >= 12 && /\d/.test(part) && /[A-Z]/.test(part) && /[a-z]/.test(part)) &&
    !/\+|=$/.test(value)
  );
}

import { isCall, isExpression, isPath, isPlaceholder, isReference } from "./is-reference.ts";
import { isNameLike, isWordy, looksRandom, looksVeryRandom } from "./looks-random.ts";
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

import assert from "node:assert/strict";
import { test } from "node:test";
import { createMasker } from "../../../src/guard/secrets/create-masker.ts";
import { secretLabels } from "../../../src/guard/secrets/secret-labels.ts";

const masker = createMasker({ values: [], key: "test" });
const password = "Xk9#mP2vQ8zL";
const key = "b7f3Kq9ZrT2xVw8LmN4pYs6D";
const github = `ghp_${"aB3dE5gH7jK9".repeat(3)}`;
const webToken = [
  "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9",
  "eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4ifQ",
  "SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c",
].join(".");

test("a label in any of the languages tells a secret: beside it, below it, in a table [D4]", () => {
  const missed: string[] = [];
  const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
  for (const { language, password: passwords, token } of secretLabels) {
    for (const [words, value] of [
      [passwords, password],
      [token, key],
    ] as const) {
      for (const word of words) {
        for (const text of [
          `${word}: ${value}`,
          `${word} = ${value}`,
          `${word}：${value}`,
          `${capital(word)}\u00a0: ${value}`,
          `"${word}": "${value}"`,
          `| ${word} | ${value} |`,
          `${word}:\n\n    ${value}\n`,
          `${word}\n  ${value}\n`,
        ]) {
          if (masker.text(text).includes(value)) missed.push(`${language}: ${text}`);
        }
      }
    }
  }
  assert.deepEqual(missed, []);
  assert.ok(secretLabels.length >= 20);
  for (const { pin = [] } of secretLabels) {
    for (const word of pin) assert.doesNotMatch(masker.text(`${word}: 4821`), /4821/, word);
  }
});

/** Texts with the parts that must not come out. */
const split: readonly (readonly [text: string, ...parts: string[]])[] = [
  [`a ${github.slice(0, 20)}\u001b[0m${github.slice(20)} b`, github.slice(20), github.slice(0, 20)],
  [`\u001b[1m${github.slice(0, 6)}\u001b[32m${github.slice(6)}\u001b[0m`, github.slice(6)],
  [`password: \u001b[31mXk9#\u001b[0mmP2vQ8zL`, "mP2vQ8zL"],
  [`x ${github.slice(0, 18)}\n${github.slice(18)}\ny`, github.slice(18)],
  [`x ${github.slice(0, 30)}\n  ${github.slice(30)}\n`, github.slice(0, 30)],
  [
    `x ${webToken.slice(0, 50)}\n${webToken.slice(50, 100)}\n${webToken.slice(100)}\n`,
    webToken.slice(0, 50),
    webToken.slice(50, 100),
    webToken.slice(100),
  ],
  [`${webToken.slice(0, 60)}\n${webToken.slice(60)}`, webToken.slice(60), webToken.slice(0, 60)],
  [`this is a rather long line of text that ends in api_key=${"a1B2c3D4e5".repeat(3)}\nF6g7H8i9J0k1\n`, "F6g7H8i9J0k1"],
  ['{\n  "password":\n    "hunter2horse"\n}', "hunter2horse"],
  ["Password:\n\n    Tr0ub4dor&3\n", "Tr0ub4dor&3"],
  ["Passwort\n--------\nKx82!mmQp1\n", "Kx82!mmQp1"],
  ["## API key\n\n`b7f3Kq9ZrT2xVw8LmN4p`\n", "b7f3Kq9ZrT2xVw8LmN4p"],
  ["password: |\n  s3cr3tPassw0rd!\n", "s3cr3tPassw0rd!"],
  ["password: >-\n\n  s3cr3tPassw0rd!\n", "s3cr3tPassw0rd!"],
  [
    "| user | password |\n|------|----------|\n| bob | hunter2xyz |\n| eve | Kx82!mmQp1 |\n",
    "hunter2xyz",
    "Kx82!mmQp1",
  ],
  [" user | password \n------+-----------\n bob  | hunter2xyz\n", "hunter2xyz"],
  [`| user | password |\n|---|---|\n${"| bob | Kx82!mmQp1 |\n".repeat(60)}`, "Kx82!mmQp1"],
  ["Le mot de passe est Kx82!mmQp1", "Kx82!mmQp1"],
  ["密码是Kx82!mmQp1", "Kx82!mmQp1"],
  ["パスワードはKx82!mmQp1です", "Kx82!mmQp1"],
  ["Mi contraseña: Kx82!mmQp1", "Kx82!mmQp1"],
];

test("a value below its label, and a token that colours or a line break cut in two, are masked [D4]", () => {
  for (const [text, ...parts] of split) {
    const masked = masker.text(text);
    for (const part of parts) assert.ok(!masked.includes(part), JSON.stringify(text));
    assert.equal(masker.text(masked), masked);
  }
});

test("the same in a stream, wherever it is cut [D4]", () => {
  for (const [text] of split) {
    const whole = masker.text(text);
    for (let cut = 1; cut < text.length; cut++) {
      const stream = masker.stream();
      const out = stream.push(text.slice(0, cut)) + stream.push(text.slice(cut)) + stream.end();
      assert.equal(out, whole, `${JSON.stringify(text)} at ${cut}`);
    }
    const stream = masker.stream();
    assert.equal(
      text
        .split("")
        .map((character) => stream.push(character))
        .join("") + stream.end(),
      whole,
    );
  }
});

test("what only names a secret or points to one, and words about secrets in any language, stay as they are [D4]", () => {
  const changed = clean.filter((text) => masker.text(text) !== text);
  assert.deepEqual(changed, []);
});

const clean: readonly string[] = [
  "secretKeyRef:\n  name: db-credentials\n  key: password\n",
  "env:\n  - name: DB_PASSWORD\n    valueFrom:\n      secretKeyRef:\n        name: postgres-secret-v2\n        key: password",
  "secret_arn: arn:aws:secretsmanager:eu-west-1:123456789012:secret:prod/db-AbC123",
  "SecretId: prod/db/password-AbCdEf",
  '"SecretArn": "arn:aws:secretsmanager:us-east-1:123456789012:secret:app-1a2B3c"',
  "password_file: /run/secrets/db_password",
  "passwordEnv: DB_PASSWORD_2024",
  "tokenEnvVar: GITHUB_TOKEN",
  "api_key_env: OPENAI_API_KEY",
  "secretName: tls-wildcard-2024",
  "imagePullSecrets:\n  - name: regcred-01",
  "Password:\nLast login: Tue Nov 17 on ttys001",
  "Password:\nuser@web01:~$",
  "Password: \nsudo: a password is required",
  "## Password\n\nUse at least 12 characters.",
  "Token\n=====\n\nSee the docs.",
  "密码：至少八个字符",
  "密码不能为空",
  "Пароль должен содержать не менее 8 символов",
  "Пароль: обязателен",
  "Mot de passe : obligatoire",
  "Le mot de passe est trop court",
  "Passwort: erforderlich",
  "Das Passwort ist falsch",
  "La contraseña es obligatoria",
  "Senha: mínimo 8 caracteres",
  "パスワード：必須",
  "パスワードは8文字以上です",
  "비밀번호: 필수",
  "비밀번호를 입력하세요",
  "Şifre: zorunlu",
  "Kata sandi: wajib diisi",
  "Mật khẩu: bắt buộc",
  "पासवर्ड: आवश्यक",
  "كلمة المرور: مطلوبة",
  "รหัสผ่าน: จำเป็น",
  "clave: nombre",
  "clave: id_usuario2",
  "Clave primaria: id",
  "palabra clave: función",
  "secret: my-app-secret-v2",
  "geheim: ja",
  "jeton: optionnel",
  "sandi: benar",
  "parola: gerekli",
  "sekret: tak",
  "losung: keine",
  "| user | password |\n|---|---|\n| bob | (hidden) |\n| eve | ******** |",
  "| name | token |\n|------|-------|\n| a | none |",
  " id | password_hash \n----+------\n 1 | x",
  "pin: 13",
  "PIN 4821 pads",
  "GPIO pin: 21",
  "led_pin = 1234",
  "spinning: 12345",
  "pinned: 1024",
  "pin: 2024",
  "The token is used in the header.",
  "max_tokens: 4096",
  "tokens:\n  input: 1200\n  output: 300",
  "key:\n  value1",
  "api key\n\nSee https://example.com/docs/v2",
  "api_key:\n  description: The key of the API\n  type: string",
  "token:\n  type: apiKey\n  in: header",
  "password:\n  minLength: 8",
  "secret:\n  - source: my_secret_1",
  "auth:\n  username: bob",
  "export GITHUB_TOKEN=$(gh auth token)",
  "const token =\n  await getToken2();",
  "password =\n  config.password2",
  "token:\n  process.env.TOKEN_V2",
  "ghp_\nis the prefix of tokens",
  "sk-\nlearn",
  "commit 4f2a9c1b7d3e5f60718293a4b5c6d7e8f9012345\nAuthor: x",
  "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08\nnext line",
  "\u001b[32m✓\u001b[0m password is checked (12 ms)",
  "\u001b[1mToken\u001b[0m: \u001b[31mmissing\u001b[0m",
  "\u001b[33mwarning\u001b[39m: token expired",
  "src/secret-labels.ts:12:  password: string",
  "passwordPolicy: strong2",
  "keyRef: secret/data/app",
  "vault path: secret/data/prod/db1",
  "name: API_KEY_V2\nvalueFrom: ssm",
  "secrets:\n  db_password:\n    external: true",
  "token_url: https://auth.example.com/oauth2/token",
  "credentialsId: 'jenkins-ssh-01'",
  "withCredentials([string(credentialsId: 'npm-token-2', variable: 'NPM_TOKEN')])",
  "TOKEN_NAME=my-token-2024",
  "SECRET_NAME=prod-db-2024",
  "api-key: ${{ secrets.API_KEY_2 }}",
  "kmsKeyId: alias/prod-1",
  "key: arn:aws:kms:eu-west-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab",
  "passwordSecretName: mysql-pass-v3",
  "op://vault/item2/password",
  "password: op://Private/db1/password",
  "Passwort\n--------\nMindestens 8 Zeichen",
];

import { createSecretMaker, makePrivateKey, makeWebToken } from "./make-secret.ts";

export interface SecretSample {
  readonly text: string;
  readonly secret: string;
}

const maker = createSecretMaker(7);
const { letters, hex, digits, capitals, base64 } = maker;

/** By vendor: secrets as they look today. */
export const vendorSecrets: readonly (readonly [family: string, secret: string])[] = [
  ["aws", `AKIA${capitals(16)}`],
  ["aws", `ASIA${capitals(16)}`],
  ...["ghp_", "gho_", "ghu_", "ghs_", "ghr_"].map((prefix) => ["github", prefix + letters(36)] as const),
  ["github", `github_pat_${letters(22)}_${letters(59)}`],
  ...["glpat-", "gldt-", "glrt-"].map((prefix) => ["gitlab", prefix + letters(20)] as const),
  ["anthropic", `sk-ant-api03-${letters(93)}AA`],
  ["openai", `sk-${letters(20)}T3BlbkFJ${letters(20)}`],
  ["openai", `sk-proj-${letters(74)}`],
  ["openai", `sk-svcacct-${letters(74)}`],
  ["google", `AIza${letters(35)}`],
  ["google", `ya29.${letters(60)}`],
  ["google", `GOCSPX-${letters(28)}`],
  ["slack", `xoxb-${digits(12)}-${digits(12)}-${letters(24)}`],
  ["slack", `xoxp-${digits(12)}-${digits(12)}-${digits(12)}-${hex(32)}`],
  ["slack", `xapp-1-${capitals(11)}-${digits(12)}-${hex(64)}`],
  ["discord", `MTA${letters(21)}.${letters(6)}.${letters(38)}`],
  ["stripe", `sk_live_${letters(24)}`],
  ["stripe", `rk_live_${letters(24)}`],
  ["stripe", `whsec_${letters(32)}`],
  ["twilio", `SK${hex(32)}`],
  ["sendgrid", `SG.${letters(22)}.${letters(43)}`],
  ["mailgun", `key-${hex(32)}`],
  ["mailchimp", `${hex(32)}-us12`],
  ["npm", `npm_${letters(36)}`],
  ["pypi", `pypi-AgEIcHlwaS5vcmc${letters(120)}`],
  ["rubygems", `rubygems_${hex(48)}`],
  ["crates", `cio${letters(32)}`],
  ["docker", `dckr_pat_${letters(27)}`],
  ["huggingface", `hf_${letters(34)}`],
  ["databricks", `dapi${hex(32)}`],
  ["digitalocean", `dop_v1_${hex(64)}`],
  ["linear", `lin_api_${letters(40)}`],
  ["notion", `ntn_${digits(11)}${letters(35)}`],
  ["notion", `secret_${letters(43)}`],
  ["shopify", `shpat_${hex(32)}`],
  ["square", `sq0atp-${letters(22)}`],
  ["supabase", `sbp_${hex(40)}`],
  ["vault", `hvs.${letters(90)}`],
  ["vercel", `vcp_${letters(32)}`],
  ["newrelic", `NRAK-${capitals(27)}`],
  ["sentry", `sntrys_${letters(80)}`],
  ["terraform", `${letters(14)}.atlasv1.${letters(67)}`],
  ["doppler", `dp.pt.${letters(43)}`],
  ["replicate", `r8_${letters(37)}`],
  ["groq", `gsk_${letters(52)}`],
  ["xai", `xai-${letters(80)}`],
  ["perplexity", `pplx-${letters(48)}`],
  ["netlify", `nfp_${letters(36)}`],
  ["atlassian", `ATATT3xFfGF0${letters(150)}`],
  ["figma", `figd_${letters(40)}`],
  ["postman", `PMAK-${hex(24)}-${hex(34)}`],
  ["grafana", `glsa_${letters(32)}_${hex(8)}`],
  ["planetscale", `pscale_tkn_${letters(43)}`],
  ["age", `AGE-SECRET-KEY-1${capitals(58)}`],
  ["tailscale", `tskey-auth-${letters(12)}-${letters(32)}`],
  ["jwt", makeWebToken(maker)],
];

const passwords = [
  ["S3cr3t", "!Pass"],
  ["hunter2", "hunter2"],
  ["P@ssw0rd", "#2024"],
  ["q8Zx!v", "-2Lm"],
  ["correcthorse", "battery"],
].map((halves) => halves.join(""));

const aroundPasswords = [
  "password=@@",
  "PASSWORD=@@",
  "DB_PASSWORD=@@",
  "password: @@",
  'password: "@@"',
  '"password": "@@"',
  '{"user":"a","password":"@@","x":1}',
  "export PGPASSWORD='@@'",
  "PGPASSWORD=@@ psql -h x",
  "--password=@@",
  "--password @@",
  '["--password", "@@"]',
  "mysql -u root -p@@ db",
  "sshpass -p '@@' ssh h",
  "redis-cli -a @@ ping",
  "docker login -u a -p @@ reg",
  "postgres://admin:@@@db.example.com:5432/app",
  "mongodb+srv://u:@@@c.mongodb.net/x",
  "redis://:@@@h:6379",
  "curl -u admin:@@ https://x",
  "curl --user 'admin:@@' https://x",
  "<password>@@</password>",
  '<property name="password" value="@@"/>',
  "spring.datasource.password=@@",
  "https://x/login?user=a&password=@@&z=1",
  "dbPassword: '@@'",
  'db_passwd = "@@"',
  "const password = '@@';",
  "password => '@@'",
  "define('DB_PASSWORD', '@@');",
  "비밀번호: @@",
  "암호=@@",
  "machine h login u password @@",
  "machine h\n  login u\n  password @@",
  "Server=x;User Id=sa;Password=@@;Encrypt=true",
  "user=a password=@@ host=b",
  '\\"password\\":\\"@@\\"',
  "CREATE USER a IDENTIFIED BY '@@';",
  "ALTER USER a WITH PASSWORD '@@';",
  "- name: DB_PASSWORD\n  value: @@",
  '{"name":"DB_PASSWORD","value":"@@"}',
  "password: |\n  @@\n",
  "ENV DB_PASSWORD @@",
  "SMTP_PASS=@@",
  "passphrase: @@",
  "set PASSWORD=@@",
  "setx DB_PASSWORD @@",
  '$env:DB_PASSWORD = "@@"',
  "\u001b[31mpassword\u001b[0m=@@",
  'level=info msg="connect" user=a password=@@ host=b',
  "jdbc:mysql://h/db?user=r&password=@@",
  "ldapsearch -x -D cn=admin -w @@ -b dc=x",
  "kubectl create secret generic x --from-literal=password=@@",
  'Content-Disposition: form-data; name="password"\r\n\r\n@@\r\n--x',
  "os.environ['DB_PASSWORD'] = '@@'",
  "openssl rsa -passin pass:@@ -in k",
  "keytool -storepass @@ -list",
  "docker run -e MYSQL_ROOT_PASSWORD=@@ mysql",
  "echo '@@' | docker login --username a --password-stdin",
];

const tokens = [letters(32), hex(40), `${base64(43)}=`, `${letters(12)}-${letters(12)}_x9`, makeWebToken(maker)];

const aroundTokens = [
  "token=@@",
  "api_key: @@",
  "apiKey: '@@'",
  "API_KEY=@@",
  "X-Api-Key: @@",
  "PRIVATE-TOKEN: @@",
  "Authorization: Bearer @@",
  "authorization: token @@",
  'curl -H "Authorization: Bearer @@" https://x',
  '{"Authorization":"Bearer @@"}',
  "sent Bearer @@ to the server",
  "client_secret=@@",
  '"clientSecret":"@@"',
  "access_token=@@&x=1",
  "https://x/y?token=@@&a=b",
  "--token @@",
  "--api-key=@@",
  "토큰: @@",
  'SECRET_KEY = "@@"',
  "secret: @@",
  "Set-Cookie: session=@@; Path=/; HttpOnly",
  "Cookie: a=b; sid=@@; c=d",
  "headers['X-Auth-Token'] = '@@'",
  'auth_token := "@@"',
  '"auth": "@@"',
  "//registry.npmjs.org/:_authToken=@@",
  "aws_secret_access_key = @@",
  "Your token is @@.",
  'req.Header.Set("Authorization", "Bearer @@")',
  "Authorization: Token token=@@",
  '<add key="ApiKey" value="@@" />',
  "<apiKey>@@</apiKey>",
  "SECRET_KEY_BASE=@@",
  "API 키: @@",
  "the API key @@ was used",
  "https://x/#access_token=@@&token_type=bearer",
  "%22token%22%3A%22@@%22%7D",
  "| api_token | @@ |",
];

/** A secret where people and programs put it. */
export const keyedSamples: readonly SecretSample[] = [
  ...passwords.flatMap((secret) => aroundPasswords.map((around) => fill(around, secret))),
  ...tokens.flatMap((secret) => aroundTokens.map((around) => fill(around, secret))),
  fill("Authorization: Basic @@", Buffer.from(`admin:${passwords[0]!}`).toString("base64")),
  fill('{"auths":{"r":{"auth":"@@"}}}', Buffer.from(`admin:${passwords[0]!}`).toString("base64")),
  fill("https://@@@o1.ingest.sentry.io/2", hex(32)),
  fill("https://hooks.slack.com/services/@@", `T${capitals(8)}/B${capitals(8)}/${letters(24)}`),
  fill("https://discord.com/api/webhooks/123456789012345678/@@", letters(68)),
  fill("https://api.telegram.org/bot1234567890:@@/sendMessage", `AA${letters(33)}`),
  fill("AccountName=x;AccountKey=@@;EndpointSuffix=core.windows.net", `${base64(86)}==`),
  fill("https://x.blob.core.windows.net/c/f?sv=2020&sp=r&sig=@@", encodeURIComponent(`${base64(43)}=`)),
  fill("https://b.s3.amazonaws.com/k?X-Amz-Expires=60&X-Amz-Signature=@@", hex(64)),
];

/** A line of a private key that must not remain, in the shapes in which keys are printed. */
export const privateKeySamples: readonly SecretSample[] = ["", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED "].flatMap(
  (kind) => {
    const key = makePrivateKey(maker, kind);
    const lines = key.split("\n");
    const shapes = [
      key,
      lines.slice(0, 3).join("\n"),
      key.replaceAll("\n", "\\n"),
      key.replaceAll("\n", "\r\n"),
      `{"private_key": ${JSON.stringify(key)}, "x": 1}`,
      ...["    ", "> ", "+", "| "].map((prefix) => lines.map((line) => prefix + line).join("\n")),
      lines.map((line, index) => `${index + 1}: ${line}`).join("\n"),
    ];
    return shapes.map((text) => ({ text: `before\n${text}\nafter`, secret: lines[2]! }));
  },
);

export const allSamples: readonly SecretSample[] = [
  fill(`AKIA${capitals(16)},@@`, base64(39) + digits(1)),
  ...vendorSecrets.map(([, secret]) => ({ text: `found ${secret} in it`, secret })),
  ...keyedSamples,
  ...privateKeySamples,
];

function fill(around: string, secret: string): SecretSample {
  return { text: around.replaceAll("@@@", () => `${secret}@`).replaceAll("@@", () => secret), secret };
}

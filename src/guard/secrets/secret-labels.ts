/** What people and programs write before a secret, in the languages that most people use. Lower case, ends of a label. */
export interface SecretLabels {
  readonly language: string;
  readonly password: readonly string[];
  /** A secret, a token, a key of an interface. */
  readonly token: readonly string[];
  /** A number to type in. */
  readonly pin?: readonly string[];
}

const words = (text: string): string[] => text.split(",").map((word) => word.trim());

export const secretLabels: readonly SecretLabels[] = [
  {
    language: "English",
    password: words("pass phrase,security code,login code"),
    token: words("recovery code,backup code"),
    pin: words("pin,pin number"),
  },
  {
    language: "Chinese",
    password: words("密码,密碼,口令,通行码,通行碼,密码短语,密碼短語"),
    token: words(
      "令牌,访问令牌,存取權杖,權杖,密钥,密鑰,金鑰,私钥,私鑰,接口密钥,api 密钥,api密钥,api 金鑰,访问密钥,机密",
    ),
    pin: words("个人识别码,pin码,pin 码"),
  },
  {
    language: "Hindi",
    password: words("पासवर्ड,कूटशब्द,गुप्तशब्द,पासफ़्रेज़,पासफ्रेज"),
    token: words("टोकन,गुप्त कुंजी,एपीआई कुंजी,api कुंजी,रहस्य,सीक्रेट"),
    pin: words("पिन"),
  },
  {
    language: "Spanish",
    password: words("contraseña,contrasena,clave,clave de acceso,frase de contraseña,palabra clave,palabra de paso"),
    token: words("secreto,clave api,clave de api,clave secreta,clave privada,ficha de acceso,token de acceso,testigo"),
    pin: words("código pin,nip"),
  },
  {
    language: "French",
    password: words("mot de passe,mdp,phrase secrète,phrase de passe,code secret,code d'accès,code d’accès"),
    token: words(
      "clé api,clé d'api,clé d’api,cle api,clé secrète,clé privée,clé d'accès,clé d’accès,jeton,jeton d'accès,jeton d’accès,secret client",
    ),
    pin: words("code pin"),
  },
  {
    language: "Arabic",
    password: words("كلمة المرور,كلمة السر,كلمه المرور,كلمه السر,عبارة المرور,كلمة مرور"),
    token: words(
      "رمز الوصول,المفتاح السري,مفتاح سري,مفتاح api,مفتاح واجهة برمجة التطبيقات,السر,الرمز المميز,مفتاح الوصول",
    ),
    pin: words("الرقم السري,رقم التعريف الشخصي"),
  },
  {
    language: "Bengali",
    password: words("পাসওয়ার্ড,পাসওয়ার্ড,গুপ্তশব্দ,পাসফ্রেজ"),
    token: words("টোকেন,গোপন কী,এপিআই কী,api কী,গোপন চাবি"),
    pin: words("পিন"),
  },
  {
    language: "Portuguese",
    password: words("senha,palavra-passe,palavra passe,palavra-chave,frase secreta,frase-senha,código de acesso"),
    token: words(
      "segredo,chave api,chave de api,chave da api,chave secreta,chave privada,chave de acesso,token de acesso",
    ),
    pin: words("código pin"),
  },
  {
    language: "Russian",
    password: words("пароль,кодовая фраза,парольная фраза,пасс-фраза,кодовое слово"),
    token: words("токен,секрет,секретный ключ,ключ api,api-ключ,api ключ,ключ доступа,токен доступа,закрытый ключ"),
    pin: words("пин-код,пинкод,pin-код"),
  },
  {
    language: "Urdu",
    password: words("پاس ورڈ,پاسورڈ,خفیہ لفظ,پاس فریز"),
    token: words("ٹوکن,خفیہ کلید,api کلید,اے پی آئی کلید,راز"),
    pin: words("پن کوڈ"),
  },
  {
    language: "Indonesian",
    password: words("kata sandi,sandi,kata kunci,frasa sandi"),
    token: words("rahasia,kunci api,kunci rahasia,kunci akses,token akses"),
    pin: words("kode pin"),
  },
  {
    language: "German",
    password: words("passwort,kennwort,losung,losungswort,zugangscode,passphrase"),
    token: words(
      "geheimnis,geheimschlüssel,geheimer schlüssel,api-schlüssel,api schlüssel,zugriffstoken,zugangstoken,zugriffsschlüssel,zugangsschlüssel,privater schlüssel,token",
    ),
    pin: words("geheimzahl,pin-nummer"),
  },
  {
    language: "Japanese",
    password: words("パスワード,パスフレーズ,合言葉,パスコード,暗証"),
    token: words(
      "トークン,アクセストークン,apiキー,api キー,シークレット,秘密鍵,秘密キー,シークレットキー,アクセスキー",
    ),
    pin: words("暗証番号"),
  },
  {
    language: "Marathi",
    password: words("संकेतशब्द,परवलीचा शब्द,पासवर्ड"),
    token: words("टोकन,गुप्त किल्ली,api की,एपीआय की"),
    pin: words("पिन"),
  },
  {
    language: "Telugu",
    password: words("పాస్‌వర్డ్,పాస్వర్డ్,సంకేతపదం,రహస్యపదం"),
    token: words("టోకెన్,రహస్య కీ,api కీ,రహస్యం"),
    pin: words("పిన్"),
  },
  {
    language: "Turkish",
    password: words("şifre,şifresi,parola,parolası,parola ifadesi"),
    token: words("gizli anahtar,api anahtarı,erişim anahtarı,erişim belirteci,belirteç,jeton,sır"),
    pin: words("pin kodu"),
  },
  {
    language: "Tamil",
    password: words("கடவுச்சொல்,கடவுச்சொற்றொடர்,மறைச்சொல்"),
    token: words("டோக்கன்,இரகசிய விசை,ரகசிய விசை,api விசை,ரகசியம்"),
    pin: words("பின்"),
  },
  {
    language: "Vietnamese",
    password: words("mật khẩu,mat khau,cụm mật khẩu"),
    token: words("khóa api,khoá api,khóa bí mật,mã thông báo,mã truy cập,khóa truy cập,bí mật"),
    pin: words("mã pin"),
  },
  {
    language: "Korean",
    password: words("비밀번호,패스워드,암호,비번,암호문구"),
    token: words("토큰,액세스 토큰,비밀키,비밀 키,시크릿,시크릿 키,인증키,인증 키,api 키,api키,액세스 키,접근 키"),
    pin: words("핀번호,핀 번호"),
  },
  {
    language: "Italian",
    password: words("parola d'ordine,parola d’ordine,parola chiave,frase segreta,codice di accesso,codice segreto"),
    token: words("segreto,chiave api,chiave segreta,chiave privata,chiave di accesso,token di accesso,gettone"),
    pin: words("codice pin"),
  },
  {
    language: "Persian",
    password: words("رمز عبور,گذرواژه,کلمه عبور,رمز ورود,عبارت عبور"),
    token: words("توکن,کلید api,کلید مخفی,کلید محرمانه,راز,کلید دسترسی"),
    pin: words("کد پین"),
  },
  {
    language: "Polish",
    password: words("hasło,haslo,fraza hasła,kod dostępu"),
    token: words("klucz api,klucz tajny,tajny klucz,klucz dostępu,klucz prywatny,sekret,token dostępu"),
    pin: words("kod pin"),
  },
  {
    language: "Dutch",
    password: words("wachtwoord,wachtwoordzin,wachtzin,toegangscode"),
    token: words("geheim,geheime sleutel,api-sleutel,api sleutel,toegangssleutel,toegangstoken"),
    pin: words("pincode"),
  },
  {
    language: "Thai",
    password: words("รหัสผ่าน,พาสเวิร์ด,วลีรหัสผ่าน"),
    token: words("โทเค็น,โทเคน,คีย์ลับ,คีย์ api,กุญแจลับ,ความลับ"),
    pin: words("รหัสพิน"),
  },
  {
    language: "Ukrainian",
    password: words("пароль,парольна фраза,кодова фраза"),
    token: words("токен,секрет,секретний ключ,ключ api,api-ключ,ключ доступу"),
    pin: words("пін-код"),
  },
  {
    language: "Swedish",
    password: words("lösenord,lösenfras,lösen"),
    token: words("hemlighet,api-nyckel,hemlig nyckel,åtkomstnyckel,åtkomsttoken"),
    pin: words("pinkod,pin-kod"),
  },
  {
    language: "Swahili",
    password: words("nenosiri,neno la siri,nywila"),
    token: words("ufunguo wa api,ufunguo wa siri,tokeni"),
  },
];

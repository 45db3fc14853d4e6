/**
 * Whether a form of a server asks for a password, a key, a card number or a code. Such a form is declined: a person who enters a
 * secret for one program cannot know what another does with it, and a run's log would contain it. Pure.
 */

interface AskedField {
  readonly type?: unknown;
  readonly title?: unknown;
  readonly description?: unknown;
  readonly format?: unknown;
  readonly writeOnly?: unknown;
}

interface AskedForm {
  readonly message: string;
  readonly fields: Readonly<Record<string, AskedField>>;
}

/** The name of the field, as the server calls it; undefined if nothing looks like a secret. Only what is typed can be one. */
export function findSecretField({ message, fields }: AskedForm, isTyped: (field: AskedField) => boolean) {
  const typed = Object.entries(fields).filter(([, field]) => isTyped(field));
  const found = typed.find(
    ([name, { title, description, format, writeOnly }]) =>
      format === 'password' ||
      writeOnly === true ||
      [name, title, description].some((text) => typeof text === 'string' && looksSecret(text)),
  );
  const [name, field] = found ?? (typed.length > 0 && namesSecret(message) ? (typed[0] ?? []) : []);
  return name === undefined ? undefined : typeof field?.title === 'string' ? field.title : name;
}

/** A name or a description. */
function looksSecret(text: string): boolean {
  const words = toWords(text);
  return (
    namesSecret(text) || words.some((word) => WORDS.has(word)) || (words.length === 1 && words[0] === 'key')
  );
}

/** A sentence: only what can hardly be meant otherwise. */
function namesSecret(text: string): boolean {
  const joined = toWords(text).join('');
  return NAMES.some((name) => joined.includes(name)) || FOREIGN.test(text.normalize('NFKC'));
}

/** `apiKey`, `API-Key` and `ＡＰＩ key` are the same; hidden characters and accents do not matter. */
function toWords(text: string): string[] {
  return text
    .normalize('NFKD')
    .replace(/[\p{M}\p{Cf}]/gu, '')
    .replace(/[а-яѐ-ӿ]/giu, (letter) => LOOKALIKES[letter.toLowerCase()] ?? letter)
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}

/** Cyrillic letters that look like Latin ones. */
const LOOKALIKES: Readonly<Record<string, string>> = {
  а: 'a',
  с: 'c',
  е: 'e',
  о: 'o',
  р: 'p',
  х: 'x',
  у: 'y',
  і: 'i',
  ѕ: 's',
  к: 'k',
  т: 't',
  ѡ: 'w',
};

const WORDS: ReadonlySet<string> = new Set(
  'pin pins otp totp mfa 2fa cvv cvc cvv2 pwd passwd psw secret secrets token bearer credential credentials jwt pat iban ssn'.split(
    ' ',
  ),
);

/** Without blanks. */
const NAMES =
  'password passphrase passcode apikey accesskey secretkey privatekey sshkey signingkey encryptionkey recoverykey masterkey authkey licensekey accesstoken refreshtoken authtoken apitoken sessiontoken creditcard debitcard cardnumber cardno securitycode verificationcode confirmationcode onetimecode onetimepassword authenticationcode authenticatorcode logincode smscode recoverycode backupcode seedphrase recoveryphrase mnemonic pincode passwort kennwort contrasena motdepasse'.split(
    ' ',
  );

const FOREIGN =
  /密码|口令|密钥|私钥|令牌|验证码|校验码|动态码|银行卡|信用卡|卡号|助记词|密碼|金鑰|驗證碼|パスワード|暗証番号|認証コード|비밀번호|인증번호|парол|ключ доступа/iu;

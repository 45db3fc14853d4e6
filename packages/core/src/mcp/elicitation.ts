/**
 * Questions of a server during a call (elicitation), as questions for a person: one for each field of the form. Pure.
 */
import { type Answers, SKIPPED } from '@crewagent/protocol/answers';
import type { Question } from '@crewagent/protocol/tools';
import type { ElicitRequestFormParams, ElicitResult } from '@modelcontextprotocol/client';

const MAX_FIELDS = 20;
const MAX_OPTIONS = 50;
const MAX_TEXT = 1_000;
const MAX_NAME = 80;
/** The question of a form without fields. */
const CONSENT = 'accept';

interface Field {
  readonly type?: unknown;
  readonly title?: unknown;
  readonly description?: unknown;
  readonly enum?: unknown;
  readonly oneOf?: unknown;
  readonly items?: unknown;
  readonly default?: unknown;
  readonly format?: unknown;
  readonly writeOnly?: unknown;
}

/**
 * The field of a form that asks for a password, a key, a card number or a code, as the server calls it. Only what is typed can be
 * one. Such a form is declined: a person who enters a secret for one program cannot know what another does with it, and a run's
 * log would contain it.
 */
export function findSecret({ message, requestedSchema }: ElicitRequestFormParams): string | undefined {
  const fields = Object.entries(requestedSchema.properties as Readonly<Record<string, Field>>);
  const typed = fields.filter(([, field]) => field.type !== 'boolean' && optionsOf(field) === undefined);
  const found = typed.find(
    ([name, { title, description, format, writeOnly }]) =>
      format === 'password' ||
      writeOnly === true ||
      [name, title, description].some((text) => typeof text === 'string' && looksSecret(text)),
  );
  const [name, field] = found ?? (namesSecret(message) ? typed[0] : undefined) ?? [];
  if (name === undefined) return undefined;
  return toPlain(typeof field?.title === 'string' ? field.title : name).slice(0, MAX_NAME);
}

/** Undefined for a form that cannot be asked. Each question says that these are the words of the server. */
export function toQuestions(
  server: string,
  { message, requestedSchema }: ElicitRequestFormParams,
): Question[] | undefined {
  const fields = Object.entries(requestedSchema.properties as Readonly<Record<string, Field>>);
  if (fields.length > MAX_FIELDS || fields.some(([name]) => name === '')) return undefined;
  const words = toPlain(message);
  const intro = `The MCP server "${server}" asks: ${words}`;
  if (fields.length === 0)
    return [
      { id: CONSENT, prompt: intro, type: 'confirm', source: { server, message: words, label: words } },
    ];
  return fields.map(([id, field]) => {
    const label = [field.title ?? id, field.description]
      .filter((text) => typeof text === 'string')
      .join(': ');
    const byDefault = field.default === undefined ? '' : `\n(default: ${JSON.stringify(field.default)})`;
    const options = optionsOf(field)?.map(({ shown }) => shown);
    const type =
      field.type === 'boolean' ? 'confirm' : options ? (field.type === 'array' ? 'multi' : 'choice') : 'text';
    const shown = toPlain(`${label}${byDefault}`);
    return {
      id,
      prompt: `${intro}\n${shown}`,
      type,
      source: { server, message: words, label: shown },
      options,
    };
  });
}

/** The SDK adds defaults of skipped fields. Skipping every question, or denying a form without fields, declines. */
export function toElicitResult({ requestedSchema }: ElicitRequestFormParams, answers: Answers): ElicitResult {
  const fields = requestedSchema.properties as Readonly<Record<string, Field>>;
  if (Object.keys(fields).length === 0)
    return answers[CONSENT] === true ? { action: 'accept', content: {} } : { action: 'decline' };
  const content = Object.entries(answers).flatMap(([id, value]) => {
    const field = Object.hasOwn(fields, id) ? fields[id] : undefined;
    return field === undefined || value === SKIPPED ? [] : [[id, toValue(field, value)] as const];
  });
  return content.length === 0
    ? { action: 'decline' }
    : { action: 'accept', content: Object.fromEntries(content) };
}

type FieldValue = string | number | boolean | string[];

function toValue(field: Field, value: unknown): FieldValue {
  if (typeof value === 'boolean') return value;
  if (Array.isArray(value)) return value.map((one) => toConstant(field, String(one)));
  const text = String(value);
  if (
    (field.type === 'number' || field.type === 'integer') &&
    text.trim() !== '' &&
    Number.isFinite(Number(text))
  )
    return Number(text);
  return field.type === 'array' ? [toConstant(field, text)] : toConstant(field, text);
}

function toConstant(field: Field, shown: string): string {
  return optionsOf(field)?.find((option) => option.shown === shown)?.value ?? shown;
}

interface Option {
  readonly value: string;
  readonly shown: string;
}

/** Of `enum`, of `oneOf` with titles, and of both in the items of a list. */
function optionsOf(field: Field): readonly Option[] | undefined {
  const {
    enum: values,
    oneOf,
    anyOf,
  } = (field.type === 'array' ? field.items : field) as {
    readonly enum?: unknown;
    readonly oneOf?: unknown;
    readonly anyOf?: unknown;
  };
  const titled = oneOf ?? anyOf;
  const list: readonly unknown[] = Array.isArray(values) ? values : Array.isArray(titled) ? titled : [];
  const options = list.slice(0, MAX_OPTIONS).flatMap((one): Option[] => {
    if (typeof one === 'string') return one === '' ? [] : [{ value: one, shown: toPlain(one) }];
    const { const: value, title = value } = (one ?? {}) as {
      readonly const?: unknown;
      readonly title?: unknown;
    };
    return typeof value === 'string' && typeof title === 'string' ? [{ value, shown: toPlain(title) }] : [];
  });
  return options.length > 0 ? options : undefined;
}

/** Without control characters and invisible characters. */
function toPlain(text: string): string {
  return text.replace(/[^\P{C}\n]/gu, ' ').slice(0, MAX_TEXT);
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

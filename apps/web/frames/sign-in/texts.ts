/** Texts of the sign-in page. It is loaded without those of the app. */
import type { Language } from '@crewagent/protocol/languages';

const en = {
  title: 'Sign in',
  email: 'E-mail address',
  password: 'Password',
  signIn: 'Sign in',
  passkey: 'Use a passkey',
  or: 'or',
  provider: 'Continue with {{name}}',
  welcome: 'Choose a password',
  welcomeHint: 'You will sign in with it from now on. At least 12 characters.',
  save: 'Save and continue',
  skip: 'Continue without a password',
  join: 'Join the project',
  joinHint: 'You were invited. Create an account to join.',
  joinAs: 'You were invited. You will join as {{email}}.',
  name: 'Your name',
  create: 'Create account and join',
  accept: 'Join',
  haveAccount: 'I already have an account',
  failed:
    'The e-mail address or the password is wrong. If you forgot it, ask an administrator for a sign-in link.',
  passkeyFailed: 'The passkey was not accepted. Try again, or sign in another way.',
  providerFailed:
    'Your identity provider did not confirm who you are, or no account belongs to you here. Ask an administrator.',
  tooMany: 'Too many failed attempts. Wait 15 minutes, or sign in another way.',
  expired: 'This link was used or has expired. Ask for a new one.',
  exists: 'Someone already has this e-mail address. Sign in instead.',
  weak: 'Choose a password of at least 12 characters that is not your e-mail address.',
  unreachable: 'The server can’t be reached. Check your connection and try again.',
  broken: 'Something went wrong. Try again.',
} as const;

export type SignInTexts = Readonly<Record<keyof typeof en, string>>;

const zh: SignInTexts = {
  title: '登录',
  email: '邮箱',
  password: '密码',
  signIn: '登录',
  passkey: '使用通行密钥',
  or: '或',
  provider: '使用 {{name}} 登录',
  welcome: '设置密码',
  welcomeHint: '以后用它登录，至少 12 个字符。',
  save: '保存并继续',
  skip: '暂不设置密码',
  join: '加入项目',
  joinHint: '你收到了邀请。创建账号即可加入。',
  joinAs: '你收到了邀请，将以 {{email}} 的身份加入。',
  name: '姓名',
  create: '创建账号并加入',
  accept: '加入',
  haveAccount: '我已有账号',
  failed: '邮箱或密码不正确。忘记密码时，请向管理员索取登录链接。',
  passkeyFailed: '通行密钥未通过验证。请重试，或换一种方式登录。',
  providerFailed: '身份提供方未能确认你的身份，或此处没有你的账号。请联系管理员。',
  tooMany: '失败次数过多。请等 15 分钟后重试，或换一种方式登录。',
  expired: '此链接已被使用或已过期，请索取新的链接。',
  exists: '此邮箱已被使用，请直接登录。',
  weak: '密码至少 12 个字符，且不能是你的邮箱。',
  unreachable: '无法连接服务器。请检查网络后重试。',
  broken: '出现错误，请重试。',
};

export const TEXTS: Readonly<Record<Language, SignInTexts>> = { en, 'zh-CN': zh };

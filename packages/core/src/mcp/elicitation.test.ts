import { expect, it } from 'vitest';
import { findSecret, toElicitResult, toQuestions } from './elicitation.ts';

const FORM = {
  message: 'Which ticket?',
  requestedSchema: {
    type: 'object' as const,
    properties: {
      kind: { type: 'string' as const, title: 'Kind', default: 'bug' },
      count: { type: 'integer' as const },
    },
  },
};

it('[Y30] shows the default of a field; a skipped field is left to it', () => {
  expect(toQuestions('tickets', FORM)).toMatchObject([
    { prompt: 'The MCP server "tickets" asks: Which ticket?\nKind\n(default: "bug")' },
    { prompt: 'The MCP server "tickets" asks: Which ticket?\ncount' },
  ]);
  expect(toElicitResult(FORM, { kind: null, count: '2' })).toEqual({
    action: 'accept',
    content: { count: 2 },
  });
});

it('[Y30] marks its questions as the words of the server', () => {
  expect(toQuestions('tickets', FORM)?.[1]?.source).toEqual({
    server: 'tickets',
    message: 'Which ticket?',
    label: 'count',
  });
  const consent = { message: 'Go?', requestedSchema: { type: 'object' as const, properties: {} } };
  expect(toQuestions('tickets', consent)).toMatchObject([{ source: { server: 'tickets', label: 'Go?' } }]);
});

const formOf = (field: object, message = 'Fill this in.') => ({
  message,
  requestedSchema: { type: 'object' as const, properties: { value: { type: 'string', ...field } as never } },
});

it.each([
  'password',
  'API key',
  'api_key',
  'githubToken',
  'Personal access token',
  'Card number',
  'CVV',
  'PIN',
  'One-time code',
  'verification code',
  'Enter your раssword',
  'pass\u200bword',
  'ＰＡＳＳＷＯＲＤ',
  'Contraseña',
  '请输入密码',
  '短信验证码',
  'private-key',
  'seed phrase',
])('[Y30] finds what looks like a secret: %s', (words) => {
  expect(findSecret(formOf({ title: words }))).toBe(words.replace('\u200b', ' '));
  expect(findSecret(formOf({ description: words }))).toBe('value');
});

it('[Y30] finds it by the format of a field, its name, and the message', () => {
  expect(findSecret(formOf({ format: 'password' }))).toBe('value');
  expect(findSecret(formOf({}, 'Please type your password to continue.'))).toBe('value');
  const named = { type: 'object' as const, properties: { key: { type: 'string' as const } } };
  expect(findSecret({ message: 'Continue', requestedSchema: named })).toBe('key');
});

it.each([
  'Shipping address',
  'Max tokens',
  'Ticket key',
  'Pinned items',
  'Secretary',
  'Passenger name',
  'Keyboard',
  '项目名称',
])('[Y30] lets other fields be: %s', (title) => expect(findSecret(formOf({ title }))).toBeUndefined());

it('[Y30] lets choices be: nothing is typed', () => {
  expect(findSecret(formOf({ title: 'Rotate the API key?', type: 'boolean' }))).toBeUndefined();
  expect(findSecret(formOf({ title: 'Token', enum: ['old', 'new'] }))).toBeUndefined();
});

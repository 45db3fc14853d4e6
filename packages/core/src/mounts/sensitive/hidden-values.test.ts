import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasHiddenMarker, maskBlocks, maskSecrets, restoreHidden } from './hidden-values.ts';
import data from './sensitive-files.json';

/** Put together here, so that no scanner takes this file for a leak. */
const made = (start: string, length: number, from = 'aB3dE5gH7jK9mN1pQ'): string =>
  start + from.repeat(Math.ceil(length / from.length)).slice(0, length);
const HEX = '0a1b2c3d4e5f67890';
const pem = (kind: string, newline = '\n') =>
  [`-----BEGIN ${kind}-----`, made('MII', 60), made('xyz', 60), `-----END ${kind}-----`].join(newline);

const SECRETS: readonly (readonly [label: string, secret: string])[] = [
  ['private key', pem('RSA PRIVATE KEY')],
  ['private key', pem('OPENSSH PRIVATE KEY', '\r\n')],
  ['private key', pem('PRIVATE KEY', '\\n')],
  ['private key', pem('PGP PRIVATE KEY BLOCK')],
  ['private key', pem('EC PRIVATE KEY', '\n+')],
  ['GitHub token', made('ghp_', 36)],
  ['GitHub token', made('ghs_', 36)],
  ['GitHub token', made('github_pat_', 82)],
  ['GitLab token', made('glpat-', 20)],
  ['AWS key', made('AKIA', 16, 'ABCDEFGH23456789')],
  ['Google key', made('AIza', 35)],
  ['Google token', made('ya29.', 60)],
  ['Slack token', made('xoxb-', 50)],
  ['Stripe key', made('sk_live_', 24)],
  ['Anthropic key', made('sk-ant-api03-', 90)],
  ['OpenAI key', made('sk-proj-', 90)],
  ['API key', made('sk-', 48)],
  ['npm token', made('npm_', 36)],
  ['PyPI token', made('pypi-', 120)],
  ['Hugging Face token', made('hf_', 34)],
  ['SendGrid key', `${made('SG.', 22)}.${made('', 43)}`],
  ['Twilio key', made('SK', 32, HEX)],
  ['Telegram token', made(':AA', 33)],
  ['JSON Web Token', `${made('eyJ', 30)}.${made('eyJ', 60)}.${made('', 43)}`],
  ['Vault token', made('hvs.', 90)],
  ['age key', made('AGE-SECRET-KEY-1', 58, 'QPZRY9X8GF2TVDW0')],
];

/** Everything before and after the value stays. */
const IN_CONTEXT: readonly (readonly [before: string, secret: string, after: string])[] = [
  ['https://bob:', 'Tr0ub4dor&3', '@example.com/x'],
  ['postgres://app:', 'hunter2', '@db:5432/app'],
  ['url = https://x-access-token:', made('', 40), '@github.com/a/b.git'],
  ['https://', made('', 40), '@host.com'],
  ['Authorization: Bearer ', made('', 40), '\nnext'],
  ['AccountName=x;AccountKey=', `${made('', 86)}==`, ';EndpointSuffix=y'],
  ['aws_secret_access_key = ', made('', 40), '\n'],
  ['"api_key": "', made('', 32), '"'],
  ['PASSWORD=', made('', 24), '\n'],
  ['//registry.npmjs.org/:_authToken=', made('', 36), ''],
  ['https://hooks.slack.com/services/', 'T0AB12CD3/B0AB12CD3/aB3dE5gH7jK9mN1p', ' x'],
];

const PLAIN = [
  'token: process.env.GITHUB_TOKEN',
  'password = getPassword()',
  'const apiKey = await loadKeyFromStore2(config);',
  'api_key: your-api-key-here-12345678901',
  'postgres://user:password@localhost/db',
  'postgres://app:app@db/x',
  'https://user@host/path https://host:8080/@scope/name',
  'http://localhost:3000/@vite/client',
  `-----BEGIN PUBLIC KEY-----\n${made('MII', 60)}\n-----END PUBLIC KEY-----`,
  `-----BEGIN CERTIFICATE-----\n${made('MII', 60)}\n-----END CERTIFICATE-----`,
  `integrity: sha512-${made('', 86)}==`,
  'task-sk-1, risk-factor, disk-0123456789abcdef0123456789abcdef',
  "if (text.startsWith('-----BEGIN PRIVATE KEY-----')) return parse(text); // -----END PRIVATE KEY-----",
  'A key begins with -----BEGIN RSA PRIVATE KEY----- and has many lines after it.',
  'ghp_short eyJ.eyJ.x AKIA SG.x hf_x',
  'The bearer of this letter, bearer authentication-and-authorization-of-people',
  'git@github.com:owner/repository.git',
  'secret_access: the secret = something-that-is-not-random-at-all',
];

describe('hidden values', () => {
  it.each(SECRETS)('[T180] %s: %j', (label, secret) => {
    const masked = maskSecrets(`a "${secret}" b`);
    expect(masked.split('\n').length).toBe(secret.split('\n').length);
    expect(masked).toMatch(new RegExp(`^a "\\[hidden: ${label} [0-9a-f]{2}\\]\n*" b$`));
    expect(hasHiddenMarker(masked)).toBe(true);
  });

  it.each(IN_CONTEXT)('[T180] after %j: %j', (before, secret, after) => {
    const masked = maskSecrets(before + secret + after);
    expect(masked.startsWith(before) && masked.endsWith(after)).toBe(true);
    expect(masked.slice(before.length, masked.length - after.length)).toMatch(/^\[hidden: [\w ]+\]$/);
  });

  it.each(PLAIN)('[T180] leave ordinary text: %j', (text) => expect(maskSecrets(text)).toBe(text));

  it('[T180] a token after an escaped line end is hidden, one inside a word is not', () => {
    const token = made('sk-', 48);
    expect(maskSecrets(`a\\n${token}`)).not.toContain(token);
    expect(maskSecrets(`ta${token}`)).toContain(token);
  });

  it('[T180] a private key whose end was cut off is hidden as far as it goes', () => {
    const cut = pem('RSA PRIVATE KEY').slice(0, 90);
    expect(maskSecrets(`x ${cut}`)).toMatch(/^x \[hidden: private key ..\]\n$/);
    expect(maskBlocks(`a\n${pem('PRIVATE KEY')}\nb`)).toMatch(/^a\n\[hidden: private key ..\]\n\n\n\nb$/);
  });

  it('[T180] every form takes time in proportion to the text', () => {
    // Literals, and classes with a bounded number of characters; no repeated groups. One look-ahead may end it.
    const bounded =
      /^(?:\[[^\]]+\](?:\{\d+(?:,\d+)?\}|\?)?|\(\?:(?:[^()*+{[]|\[[^\]]+\])+\)|\\.|[A-Za-z:._])*(?:\(\?[=!][^)]*\))?$/;
    for (const { label, rest, ...form } of data.hiddenValues)
      for (const source of [rest, 'lead' in form ? form.lead : ''])
        expect([label, source, bounded.test(source ?? '')]).toEqual([label, source, true]);
    // Megabytes of beginnings that are no secret, which a backtracking search would not finish.
    for (const text of [
      '-----BEGIN PRIVATE KEY-----',
      'eyJ',
      'eyJaaaaaaaaaaa.',
      'ghp_',
      '://a:b',
      'token=',
      'Bearer ',
    ])
      expect(typeof maskSecrets(text.repeat(2 ** 20 / text.length))).toBe('string');
  });
});

const secret = fc.constantFrom(...SECRETS.map(([, value]) => value));
const words = fc.constantFrom(
  '',
  '\n',
  ' ',
  'KEY=',
  '"',
  'text é',
  '= x',
  '://',
  'token: ',
  '-----BEGIN ',
  '[hidden: ',
  ' 3f]',
);
const document = fc.array(fc.oneof(words, secret), { maxLength: 12 }).map((parts) => parts.join('\n'));

describe('restoring', () => {
  it('[T182] masking a masked text changes nothing, and the whole text comes back', () => {
    fc.assert(
      fc.property(document, (text) => {
        const masked = maskSecrets(text);
        expect(maskSecrets(masked)).toBe(masked);
        for (const [, value] of SECRETS.filter(([label]) => label !== 'Telegram token'))
          expect(masked).not.toContain(value);
        expect(restoreHidden(masked, text)).toBe(text);
      }),
      { numRuns: 1_000 },
    );
  });

  it('[T182] an edit around the markers keeps every value', () => {
    fc.assert(
      fc.property(document, fc.string(), fc.string(), (text, before, after) => {
        fc.pre(!hasHiddenMarker(before) && !hasHiddenMarker(after));
        expect(restoreHidden(`${before}\n${maskSecrets(text)}\n${after}`, text)).toBe(
          `${before}\n${text}\n${after}`,
        );
      }),
      { numRuns: 500 },
    );
  });

  it('[T182] values with the same marker come back in order, or not at all', () => {
    const all = Array.from({ length: 2_000 }, (_, at) => made('ghp_', 36, `${at}aB3dE5gH7jK9mN1pQ`));
    const first = all[0] ?? '';
    const second = all.find((value) => value !== first && maskSecrets(value) === maskSecrets(first)) ?? '';
    expect(second).not.toBe('');
    const text = `a=${first}\nb=${second}\n`;
    const masked = maskSecrets(text);
    expect(restoreHidden(`${masked}c\n`, text)).toBe(`${text}c\n`);
    expect(restoreHidden(masked.split('\n')[0] ?? '', text)).toBeUndefined();
  });

  it('[T182] a marker of another file is not restored', () => {
    const marker = maskSecrets(made('ghp_', 36));
    expect(restoreHidden(`x ${marker}`, 'nothing')).toBeUndefined();
    expect(restoreHidden(`x ${marker} y`, `a manual: ${marker}`)).toBe(`x ${marker} y`);
    // Planted beside the value it stands for: which of the two is meant is unknown.
    expect(restoreHidden(marker, `${made('ghp_', 36)} ${marker}`)).toBeUndefined();
  });
});

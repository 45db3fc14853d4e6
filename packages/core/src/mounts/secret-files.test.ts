import { describe, expect, it } from 'vitest';
import { createSecretCheck } from './secret-files.ts';

const isSecret = createSecretCheck();

describe('secret files', () => {
  it.each([
    ...['.env.example.local', '.env.env.example'],
    ...['.env', '.env.local', '.env.production.local', '.envrc', '.env-prod', '.env_local', '.env~'],
    ...['.npmrc', '.yarnrc', '.pypirc', '.netrc', '_netrc', '.pgpass', '.git-credentials', '.htpasswd'],
    ...['.dockercfg', 'id_rsa', 'id_dsa', 'id_ecdsa', 'id_ed25519', 'id_ecdsa_sk', 'id_ed25519_sk'],
    ...['a.pem', 'a.key', 'a.p12', 'a.pfx', 'a.jks', 'a.keystore', 'a.kdbx', 'a.ppk', 'a.gpg', '.pem'],
    ...['credentials', 'credentials.json', 'credentials.yml', 'credentials.yaml', 'credentials.toml'],
    ...['credentials.ini', 'credentials.env', 'secret', 'secrets', 'secret.json', 'secrets.yaml'],
    ...['service-account.json', 'service_account.json', 'service-account-prod.json'],
  ])('[M8] include %s, in any folder and letter case', (name) => {
    for (const spelling of [name, name.toUpperCase()]) {
      expect(isSecret([spelling])).toBe(true);
      expect(isSecret(['some', 'folder', spelling])).toBe(true);
    }
  });

  it.each(['.ssh', '.gnupg', '.aws', '.azure', '.kube', '.docker'])('[M8] include all of %s', (folder) => {
    expect(isSecret([folder])).toBe(true);
    expect(isSecret(['home', folder.toUpperCase(), 'deep', 'config'])).toBe(true);
    expect(isSecret([`${folder}-notes`, 'config'])).toBe(false);
  });

  it.each([
    ...['.env.example', '.env.sample', '.env.template', '.env.dist', '.ENV.EXAMPLE'],
    ...['x.env', 'environment', 'x.envrc', 'a.npmrc', '.npmrc.md', 'x_netrc'],
    ...['_netrc.md', 'my_id_rsa', 'id_rsa.pub', 'id_rsa_old', 'pem', 'keys.md', 'a.pem.md', 'akey'],
    ...['my-credentials', 'credentials.md', 'credentials.json.md', 'secretary', 'secrets.md', 'top-secret'],
    ...['my-service-account.json', 'service-account.md', 'service-account.json.md', 'serviceaccount.json'],
  ])('[M8] do not include %s', (name) => {
    expect(isSecret([name])).toBe(false);
    expect(isSecret(['credentials', 'of', name])).toBe(false);
  });

  it('[M8] do not include a mount itself', () => {
    expect(isSecret([])).toBe(false);
    expect(createSecretCheck(['x*'])([])).toBe(false);
  });

  it('[M8] matches patterns with many stars quickly', () => {
    const added = createSecretCheck([`${'*a'.repeat(100)}*b`, '**mid**dle**']);
    expect(added(['a'.repeat(250)])).toBe(false);
    expect(added([`${'a'.repeat(100)}b`])).toBe(true);
    expect(['xmid-dley', 'middle', 'mid'].map((name) => added([name]))).toEqual([true, true, false]);
    expect(createSecretCheck(['ab*ba'])(['aba'])).toBe(false);
    const fits = (pattern: string, names: string[]) =>
      names.map((name) => createSecretCheck([pattern])([name]));
    expect(fits('key-*', ['key-1', 'my-key-1', '1-key-'])).toEqual([true, false, false]);
    expect(fits('a*bc*c', ['abcc', 'abc'])).toEqual([true, false]);
    expect(fits('*x*x*', ['xx', 'x'])).toEqual([true, false]);
    expect(createSecretCheck(['m*'])([])).toBe(false);
  });

  it('[M8] include names that match patterns of the settings exactly', () => {
    const added = createSecretCheck([
      '*.draft',
      'plan?.md',
      'a+b',
      '(x)',
      '^[y]$',
      'z|w',
      '{1}',
      'q\\d',
      '.env.example',
    ]);
    for (const name of [
      'x.draft',
      'X.DRAFT',
      '.draft',
      'plan?.md',
      'a+b',
      '(x)',
      '^[y]$',
      'z|w',
      '{1}',
      'q\\d',
    ])
      expect(added([name])).toBe(true);
    for (const name of [
      'x.draft.md',
      'xdraft',
      'plan1.md',
      'aab',
      'x',
      'y',
      'z',
      'w',
      '1',
      'q1',
      'my plan?.md',
    ])
      expect(added([name])).toBe(false);
    // Named explicitly by the pattern.
    expect(added(['.env.example'])).toBe(true);
  });
});

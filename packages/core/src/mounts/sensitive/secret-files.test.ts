import { describe, expect, it } from 'vitest';
import { createSecretCheck } from './secret-files.ts';

const isSecret = createSecretCheck();

describe('secret files', () => {
  it.each([
    ...['.env.example.local', 'prod.env', 'a.b.env', '.dev.vars', '.dev.vars.staging'],
    ...['.env', '.env.local', '.env.production.local', '.envrc', '.env-prod', '.env_local', '.env~'],
    ...[
      '.env.bak',
      '.env.old',
      '#.env#',
      '.#.env',
      '.env.swp',
      '.env.bak.1',
      'prod.env.bak',
      '.prod.env.swp',
    ],
    ...['.npmrc', '.yarnrc', '.yarnrc.yml', '.pypirc', '.netrc', '_netrc', '.pgpass', '.git-credentials'],
    ...['.htpasswd', '.dockercfg', '.my.cnf', '.s3cfg', '.vault-token', '.npmrc~', 'kubeconfig'],
    ...[
      'id_rsa',
      'id_dsa',
      'id_ecdsa',
      'id_ed25519',
      'id_ecdsa_sk',
      'id_ed25519_sk',
      'id_rsa_old',
      'id_rsa.bak',
    ],
    ...['id_rsa-work', 'id_rsa.pem', '.id_rsa.swp', 'id_rsa 2', 'secrets.yaml.orig'],
    ...[
      'a.pem',
      'a.key',
      'a.p8',
      'a.p12',
      'a.pfx',
      'a.jks',
      'a.keystore',
      'a.kdbx',
      'a.ppk',
      'a.gpg',
      '.pem',
    ],
    ...['x.tfvars', 'prod.auto.tfvars', 'x.tfvars.json', 'terraform.tfstate', 'terraform.tfstate.backup'],
    ...['credentials', 'credentials.json', 'credentials.yml', 'credentials.yaml', 'credentials.toml'],
    ...['credentials.ini', 'credentials.env', 'secret', 'secrets', 'secret.json', 'secrets.yaml'],
    ...['service-account.json', 'service_account.json', 'service-account-prod.json'],
    ...[
      'client_secret_123.apps.googleusercontent.com.json',
      'client_secret.json',
      'x-firebase-adminsdk-1.json',
    ],
    ...['.config/gh/hosts.yml', '.config/gcloud/x', '.cargo/credentials.toml', '.m2/settings.xml'],
    ...['.bash_history', '.secrets/x', 'ENV~1'],
  ])('[M8] include %s, in any folder and letter case', (name) => {
    for (const spelling of [name, name.toUpperCase()]) {
      expect(isSecret(spelling.split('/'))).toBe(true);
      expect(isSecret(['some', 'folder', ...spelling.split('/')])).toBe(true);
    }
  });

  it('[M8] include private keys with names of their own, where the path is a file', () => {
    for (const name of ['id_work', 'id_github', 'ID_x', 'id_work.bak']) {
      expect(isSecret([name], true)).toBe(true);
      expect(isSecret([name])).toBe(false);
    }
    for (const name of ['id_work.pub', 'id_card.md', 'id_map.ts', 'ids', 'my_id_x'])
      expect(isSecret([name], true)).toBe(false);
  });

  it.each(['.ssh', '.gnupg', '.aws', '.azure', '.kube', '.docker'])('[M8] include all of %s', (folder) => {
    expect(isSecret([folder])).toBe(true);
    expect(isSecret(['home', folder.toUpperCase(), 'deep', 'config'])).toBe(true);
    expect(isSecret([`${folder}-notes`, 'config'])).toBe(false);
  });

  it.each([
    ...[
      '.env.example',
      '.env.sample',
      '.env.template',
      '.env.dist',
      '.ENV.EXAMPLE',
      '.env.production.example',
    ],
    ...['example.env', 'sample.env', 'app.example.env', '.env.example.bak', 'example.tfvars'],
    ...['environment', 'env.ts', 'x.envrc', 'a.npmrc', '.npmrc.md', 'x_netrc', 'main.tf', 'variables.tf'],
    ...[
      '_netrc.md',
      'my_id_rsa',
      'id_rsa.pub',
      'id_rsa_old.pub',
      'id_card.md',
      'pem',
      'keys.md',
      'a.pem.md',
      'akey',
    ],
    ...[
      'my-credentials',
      'credentials.md',
      'credentials.ts',
      'credentials.json.md',
      'secretary',
      'secrets.md',
    ],
    ...['secrets.ts', 'secrets_test.go', 'top-secret', 'notes.bak', 'key.md', 'tokens.json', 'auth.json'],
    ...['my-service-account.json', 'service-account.md', 'service-account.json.md', 'serviceaccount.json'],
    ...['settings.xml', 'hosts.yml', 'config', 'gradle.properties', 'history.md', 'id_work', 'id_generator'],
  ])('[M8] do not include %s', (name) => {
    expect(isSecret([name])).toBe(false);
    expect(isSecret(['credentials', 'of', name])).toBe(false);
  });

  it('[M8] do not include a mount itself', () => {
    expect(isSecret([])).toBe(false);
    expect(createSecretCheck(['x*', '*'])([])).toBe(false);
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

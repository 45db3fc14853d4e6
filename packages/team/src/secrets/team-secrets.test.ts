import { randomBytes } from 'node:crypto';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempFolder } from '../../../core/src/testing/temp-folder.ts';
import { rotateKeys } from '../rotate-keys.ts';
import { testDatabase } from '../testing/team-rig.ts';
import { loadKeys, parseKeys } from './key-ring.ts';
import { createSecretDocument, rotateSecrets } from './secret-document.ts';
import { createTeamSecrets } from './team-secrets.ts';

const newKey = (): string => randomBytes(32).toString('base64');
const ADDRESS = 'https://provider.example/v1';
const PROJECT = '0199a000-0000-7000-8000-000000000001';

async function createRig(keyText = newKey()) {
  const database = await testDatabase();
  await database.write("insert into projects (project_id, document, source) values ($1, '{}', '{}')", [
    PROJECT,
  ]);
  const open = (text: string) => createTeamSecrets({ database, keys: parseKeys(text) });
  return { database, keyText, open, secrets: open(keyText) };
}

const valuesOf = async (list: Promise<readonly { readonly key: string }[]>): Promise<string[]> =>
  (await list).map(({ key }) => key);

describe('the secrets of a team', () => {
  it('are encrypted in the database, per team and per project, and go with the project', async () => {
    const { database, secrets, open, keyText } = await createRig();
    const project = secrets.ofProject(PROJECT);
    await secrets.team.write('gpt', { key: 'sk-of-the-team', address: ADDRESS });
    expect(await valuesOf(project.list('gpt', ADDRESS))).toEqual(['sk-of-the-team']);
    await project.write('gpt', { key: 'sk-of-the-project', address: ADDRESS });
    await project.writeServer('jira', { address: 'cmd', values: { TOKEN: 'jira-token' } });
    expect(await valuesOf(project.list('gpt', ADDRESS))).toEqual(['sk-of-the-project']);
    expect(await valuesOf(secrets.team.list('gpt', ADDRESS))).toEqual(['sk-of-the-team']);
    expect(await secrets.team.readServer('jira', 'cmd')).toEqual({});
    // Another process with the same key.
    expect(await open(keyText).ofProject(PROJECT).readServer('jira', 'cmd')).toEqual({ TOKEN: 'jira-token' });
    const stored = await database.read<{ sealed: Buffer }>('select sealed from secrets');
    for (const { sealed } of stored) expect(sealed.toString('latin1')).not.toMatch(/sk-of|jira|gpt/);
    await database.write('delete from projects where project_id = $1', [PROJECT]);
    expect(await database.read('select project_id from secrets')).toEqual([{ project_id: '' }]);
  });

  it('are not readable with another key, after a flipped byte, or at the place of others', async () => {
    const { database, secrets, open } = await createRig();
    await secrets.team.write('gpt', { key: 'sk-of-the-team', address: ADDRESS });
    await secrets.ofProject(PROJECT).write('gpt', { key: 'sk-of-the-project', address: ADDRESS });
    await expect(open(newKey()).team.list('gpt', ADDRESS)).rejects.toThrow(/which this server does not have/);
    const [row] = await database.read<{ sealed: Buffer }>("select sealed from secrets where project_id = ''");
    const sealed = row?.sealed ?? Buffer.alloc(0);
    const set = (bytes: Buffer) =>
      database.write("update secrets set sealed = $1 where project_id = ''", [bytes]);
    for (let at = 0; at < sealed.length; at++) {
      const flipped = Buffer.from(sealed);
      flipped.writeUInt8(flipped.readUInt8(at) ^ 1, at);
      await set(flipped);
      await expect(secrets.team.list('gpt', ADDRESS), `byte ${at}`).rejects.toMatchObject({
        code: 'STORE_DAMAGED',
      });
    }
    for (const bytes of [Buffer.alloc(0), sealed.subarray(0, 20), sealed.subarray(0, -1)]) {
      await set(Buffer.from(bytes));
      await expect(secrets.team.list('gpt', ADDRESS)).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
    }
    await database.write(
      "update secrets set sealed = (select sealed from secrets where project_id <> '') where project_id = ''",
    );
    await expect(secrets.team.list('gpt', ADDRESS)).rejects.toThrow(/changed or moved/);
    await set(sealed);
    expect(await valuesOf(secrets.team.list('gpt', ADDRESS))).toEqual(['sk-of-the-team']);
  });

  it('are readable with the old and the new key while keys are rotated, and then with the new one', async () => {
    const { database, keyText, secrets, open } = await createRig();
    await secrets.team.write('gpt', { key: 'sk-1', address: ADDRESS });
    await secrets.ofProject(PROJECT).write('gpt', { key: 'sk-2', address: ADDRESS });
    const fresh = newKey();
    const both = `${fresh},${keyText}`;
    expect(await valuesOf(open(both).team.list('gpt', ADDRESS))).toEqual(['sk-1']);
    await expect(rotateSecrets(database, parseKeys(fresh))).rejects.toThrow(/does not have/);
    expect(await rotateKeys(database.url, parseKeys(both))).toBe(2);
    expect(await rotateKeys(database.url, parseKeys(both))).toBe(0);
    expect(await valuesOf(open(fresh).ofProject(PROJECT).list('gpt', ADDRESS))).toEqual(['sk-2']);
    await expect(open(keyText).team.list('gpt', ADDRESS)).rejects.toThrow(/does not have/);
  });

  it('lose nothing when many processes change them at once', async () => {
    const { keyText, open } = await createRig();
    const processes = [open(keyText), open(keyText), open(keyText)];
    await Promise.all(
      processes.flatMap(({ team }, process) =>
        Array.from({ length: 10 }, (_, index) => {
          const number = process * 10 + index;
          return team.write(`model-${number}`, { key: `sk-${number}`, address: ADDRESS });
        }),
      ),
    );
    for (let index = 0; index < 30; index++)
      expect(await valuesOf(open(keyText).team.list(`model-${index}`, ADDRESS))).toEqual([`sk-${index}`]);
  });

  it('are the same value as long as nothing changed', async () => {
    const { database, keyText } = await createRig();
    const document = createSecretDocument({ database, keys: parseKeys(keyText) });
    expect(await document.read()).toBeUndefined();
    await document.change((write) => write({ schemaVersion: 1, keys: {} }));
    expect(await document.read()).toBe(await document.read());
    expect(await document.hold(() => Promise.resolve('held'))).toBe('held');
  });
});

describe('the secret key', () => {
  it('comes from the environment or a file that others cannot read, and has 32 bytes', async () => {
    const key = newKey();
    const file = join(await tempFolder(), 'key');
    await writeFile(file, `${key}\n${newKey()}\n`, { mode: 0o600 });
    const { keyId } = await loadKeys({ CREWAGENT_SECRET_KEY: key });
    expect((await loadKeys({ CREWAGENT_SECRET_KEY_FILE: file })).keyId).toBe(keyId);
    await chmod(file, 0o604);
    await expect(loadKeys({ CREWAGENT_SECRET_KEY_FILE: file })).rejects.toThrow(/chmod 600/);
    for (const text of ['', 'short', randomBytes(16).toString('base64'), `${key},short`])
      await expect(loadKeys({ CREWAGENT_SECRET_KEY: text })).rejects.toMatchObject({ code: 'USAGE' });
  });
});

/** Tests of settings, projects and secrets that every adapter of `StoredDocument` must pass. */
import { mkdir, realpath, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createProjectStore, withApproval, withoutApproval } from '../store/project-store.ts';
import { createSecretStore } from '../store/secret-store.ts';
import { createSettingsStore } from '../store/settings-store.ts';
import type { StoredDocument } from '../store/stored-document.ts';
import { tempFolder } from './temp-folder.ts';

const NAMES = ['one', 'two', 'three', 'four'];
const ADDRESS = 'https://one.example';
const now = (): Date => new Date('2026-01-31T09:30:00.000Z');

export function testStoredDocument(adapter: string, open: () => Promise<StoredDocument>): void {
  describe(`a document in ${adapter}`, () => {
    it('is undefined until it is written, and nobody shares an object with it', async () => {
      const document = await open();
      expect(await document.read()).toBeUndefined();
      const value = { list: [1] };
      await document.change((write) => write(value));
      value.list.push(2);
      expect(await document.read()).toEqual({ list: [1] });
    });

    it('[O27] is changed by one caller at a time; a change that fails leaves it as it was', async () => {
      const document = await open();
      const append = (name: string): Promise<void> =>
        document.change(async (write) => {
          const before = (await document.read()) as string[] | undefined;
          await write([...(before ?? []), name]);
        });
      await Promise.all(NAMES.map(append));
      expect((await document.read()) as string[]).toHaveLength(NAMES.length);
      const before = await document.read();
      const failing = document.change(async () => Promise.reject(new Error('refused')));
      await expect(failing).rejects.toThrow('refused');
      expect(await document.read()).toEqual(before);
      const events: string[] = [];
      const holding = document.hold(async () => {
        await new Promise((resolve) => setImmediate(resolve));
        events.push('held');
      });
      await Promise.all([holding, document.change(async () => void events.push('changed'))]);
      expect(events).toEqual(['held', 'changed']);
    });
  });

  describe(`settings in ${adapter}`, () => {
    it('are merged into what was set, and an invalid change writes nothing', async () => {
      const settings = createSettingsStore(await open());
      await Promise.all(NAMES.map((name) => settings.update({ models: { [name]: { model: name } } })));
      expect(Object.keys((await settings.load()).models).sort()).toEqual([...NAMES].sort());
      await settings.update({ models: { one: null }, limits: { maxTurns: 3 } });
      await expect(settings.update({ limits: { maxTurns: 0 } })).rejects.toMatchObject({
        code: 'SETTINGS_INVALID',
        details: { field: 'limits.maxTurns' },
      });
      const { settings: loaded, decided } = await settings.loadOrigin();
      expect(loaded.limits.maxTurns).toBe(3);
      expect(decided).toMatchObject({ limits: { maxTurns: 3 }, models: { two: { model: 'two' } } });
      expect(loaded.models).not.toHaveProperty('one');
    });
  });

  describe(`projects in ${adapter}`, () => {
    const setUp = async () => {
      const root = await realpath(await tempFolder());
      const folder = join(root, 'work');
      await mkdir(folder);
      const projects = createProjectStore(await open());
      return { root, folder, projects, project: await projects.open(folder, { now }) };
    };

    it('are identified by their folder, updated one after the other, and keep their id when it moves', async () => {
      const { root, folder, projects, project } = await setUp();
      const { projectId } = project;
      expect(await projects.open(join(folder, '.'), { now })).toEqual(project);
      const approvals = NAMES.map((name) => ({ tool: 'fs.write', path: `@project/${name}` }));
      await Promise.all(
        approvals.map((approval) => projects.update(projectId, (latest) => withApproval(latest, approval))),
      );
      const [first = { tool: '', path: '' }] = approvals;
      await projects.update(projectId, (latest) => withoutApproval(latest, first));
      expect((await projects.read(projectId)).approvals).toHaveLength(NAMES.length - 1);
      await rename(folder, join(root, 'moved'));
      expect(await projects.relink(projectId, join(root, 'moved'))).toMatchObject({
        projectId,
        name: 'moved',
      });
      expect(await projects.find(join(root, 'moved'))).toMatchObject({ projectId });
    });

    it('are removed with their data, or stay if that fails', async () => {
      const { projects, project } = await setUp();
      const { projectId } = project;
      const refused = projects.remove(projectId, () => Promise.reject(new Error('in use')));
      await expect(refused).rejects.toThrow('in use');
      expect(await projects.whileStays(projectId, async () => 'there')).toBe('there');
      await projects.remove(projectId, async () => ({ putBack: () => Promise.resolve() }));
      expect(await projects.list()).toEqual([]);
      const isGone = { code: 'PROJECT_NOT_FOUND' };
      await expect(projects.read(projectId)).rejects.toMatchObject(isGone);
      await expect(projects.whileStays(projectId, async () => 'gone')).rejects.toMatchObject(isGone);
    });
  });

  describe(`secrets in ${adapter}`, () => {
    it('[O25] are read for the address they were stored for', async () => {
      const secrets = createSecretStore(await open(), (work) => work());
      await Promise.all(NAMES.map((name) => secrets.write(name, { key: ` sk-${name}\n`, address: ADDRESS })));
      await secrets.writeServer('files', { address: 'files-server', values: { TOKEN: 't' } });
      expect(await secrets.list('one', ADDRESS)).toMatchObject([{ key: 'sk-one' }]);
      expect(await secrets.list('one', 'https://two.example')).toEqual([]);
      expect(await secrets.readServer('files', 'files-server')).toEqual({ TOKEN: 't' });
      expect(await secrets.readServer('files', 'other-server')).toEqual({});
      await secrets.remove('one');
      await secrets.writeServer('files', { address: 'files-server', values: {} });
      expect(await secrets.has('one')).toBe(false);
      expect(await secrets.has('four')).toBe(true);
      expect(await secrets.readServer('files', 'files-server')).toEqual({});
      await expect(secrets.write('bad', { key: 'two words', address: ADDRESS })).rejects.toThrow('API key');
    });
  });
}

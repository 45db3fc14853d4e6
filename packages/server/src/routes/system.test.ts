import { writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { createStoreLayout } from '@crewagent/core';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { writeTree } from '../../../core/src/testing/file-tree.ts';
import { textReply, toolCallReply } from '../../../core/src/testing/models/provider-replies.ts';
import { threadPackage } from '../../../core/src/testing/packages/thread-package.ts';
import { addScriptedModel, createServerRig, prepare, type ServerRig, until } from '../testing/server-rig.ts';

afterEach(() => vi.unstubAllEnvs());

describe('the server', () => {
  it.skipIf(process.platform === 'win32' || process.platform === 'darwin')(
    '[H20] reports whether there is a desktop',
    async () => {
      const { client } = await createServerRig();
      for (const name of ['DISPLAY', 'WAYLAND_DISPLAY']) vi.stubEnv(name, '');
      expect(await client.system.show()).toMatchObject({ canReveal: false });
      vi.stubEnv('DISPLAY', ':9');
      expect(await client.system.show()).toMatchObject({ canReveal: true });
    },
  );
});

describe('storage', () => {
  it('[H22] is reported in bytes, with its location', async () => {
    const rig = await createServerRig();
    const { client, runtime } = rig;
    const { projectId, packageHash } = await prepare(rig);
    await client.works.create({
      body: { projectId, packageHash, kind: 'run', model: 'rehearsal', isHeldBack: true },
    });
    await client.works.create({ body: { projectId, kind: 'chat', model: 'rehearsal' } });
    const storage = await client.system.storage();
    expect(storage).toMatchObject({
      place: runtime.store.root,
      packages: { count: 1 },
      projects: [{ projectId, runs: 1, conversations: 1 }],
      isCut: false,
    });
    const [project] = storage.projects;
    expect(storage.bytes).toBeGreaterThan((project?.bytes ?? 0) + storage.packages.bytes);
    expect(project?.bytes).toBeGreaterThan(0);
  });

  it('[H22] abbreviates the home folder as `~`', async () => {
    const rig = await createServerRig();
    vi.stubEnv('HOME', rig.root);
    vi.stubEnv('USERPROFILE', rig.root);
    if (homedir() !== rig.root) return;
    expect((await rig.client.system.storage()).place).toBe('~/store');
    vi.stubEnv('HOME', join(rig.root, 'sto'));
    expect((await rig.client.system.storage()).place).toBe(rig.runtime.store.root);
  });
});

/** Texts that must not appear in a report, each planted where somebody could have put it. */
const PLANTED = {
  key: 'sk-planted-key-0123456789',
  urlKey: 'planted-url-key',
  profile: 'planted-profile',
  pattern: 'planted-pattern',
  person: 'planted-text-of-a-person',
  model: 'planted-text-of-a-model',
  file: 'planted-file-name',
  content: 'planted-content-of-a-file',
  title: 'planted-title',
  packageText: 'planted-package-text',
  artifacts: 'planted-artifacts',
  variable: 'PLANTED_VARIABLE',
} as const;

async function plant(rig: ServerRig): Promise<void> {
  const { client, root, project } = rig;
  for (const [path, content] of Object.entries(threadPackage())) {
    const text = path.endsWith('.md') ? `\n${PLANTED.packageText}\n` : '';
    await writeTree(join(root, 'package'), { [path]: text === '' ? content : `${String(content)}${text}` });
  }
  await writeFile(join(project, `${PLANTED.file}.md`), PLANTED.content);
  const { projectId, packageHash } = await prepare(rig, join(root, 'package'));
  const calls = [
    { name: 'fs_read', arguments: { path: `@project/${PLANTED.file}.md` } },
    { name: 'fs_read', arguments: { path: `@project/${PLANTED.file}-that-is-not-there.md` } },
    { name: 'fs_read', arguments: { path: join(root, 'project', 'README.md') } },
  ];
  const provider = await addScriptedModel(client, [toolCallReply(calls), textReply(PLANTED.model)]);
  await client.settings.update({
    body: {
      models: {
        [PLANTED.profile]: {
          baseUrl: `${provider.url}/?key=${PLANTED.urlKey}#${PLANTED.urlKey}`,
          model: `/Users/me/${PLANTED.file}.gguf`,
          apiKeyEnv: PLANTED.variable,
        },
      },
      tools: { fs: { secretPatterns: [`${PLANTED.pattern}*`] }, artifactsDir: PLANTED.artifacts },
    },
  });
  await client.models.setKey({ name: 'scripted', body: { key: PLANTED.key } });
  const { workId } = await client.works.create({
    body: { projectId, packageHash, kind: 'agent', model: 'scripted', input: PLANTED.person },
  });
  await until(
    client.works.events({ workId, query: { after: '0' } }),
    ({ type, data }) => type === 'event' && data.type === 'phase.changed' && data.phase !== 'Running',
  );
  await client.works.change({ workId, body: { title: PLANTED.title } });
  await client.works.create({
    body: { projectId, packageHash, kind: 'run', model: 'rehearsal', isHeldBack: true },
  });
}

function expectClean(text: string, { root }: ServerRig): void {
  for (const planted of [...Object.values(PLANTED), root, homedir(), 'sk-of-the-environment'])
    expect({ planted, isIn: text.includes(planted) }).toEqual({ planted, isIn: false });
}

describe('the diagnostics file', () => {
  it('[H20] has versions, the doctor, settings, counts and codes, and no content', async () => {
    const rig = await createServerRig();
    await plant(rig);
    const response = await rig.call('/api/v1/diagnostics');
    expect(response.status).toBe(200);
    expect(response.headers.get('content-disposition')).toMatch(/^attachment; filename="crewagent-/);
    const text = await response.text();
    expectClean(text, rig);
    const found = JSON.parse(text) as { readonly latest: readonly { readonly codes: readonly string[] }[] };
    expect(found).toMatchObject({
      program: { node: process.version, platform: process.platform },
      doctor: { store: { exists: true }, packages: { count: 1 }, runs: { count: 1, damaged: 0 } },
      environment: { hasKey: true },
      projects: 1,
      settings: { limits: { maxTurns: 50 }, tools: { strictState: false, fs: { secretPatterns: 1 } } },
    });
    expect(text).toContain('http://127.0.0.1');
    expect(found.latest).toHaveLength(2);
    expect(found.latest).toContainEqual(
      expect.objectContaining({ kind: 'run', phase: 'WaitingUser', reason: 'interrupted', codes: [] }),
    );
    expect(found.latest.find(({ codes }) => codes.length > 0)?.codes).toEqual([
      'ENOENT',
      'E_SANDBOX_VIOLATION',
    ]);
  });

  it('[H20] is written for a damaged store as well', async () => {
    const rig = await createServerRig();
    await plant(rig);
    const { store } = rig.runtime;
    const [run] = await rig.runtime.listRuns();
    if (!run) throw new Error('there is a run');
    await writeFile(
      createStoreLayout(store.root).work(run).log,
      `{"type":"error","code":"${PLANTED.person}"}\n{"type":"error"}\nnull\n7\n{`,
    );
    await writeFile(createStoreLayout(store.root).work(run).record, `{"reason":"${PLANTED.person}"}`);
    await writeFile(
      store.settings.label,
      `{"models":{"${PLANTED.profile}":{"${PLANTED.person}\\"x":"${PLANTED.key}"}}}`,
    );
    await writeFile(store.projects.label, `{"${PLANTED.person}":1}`);
    const text = await (await rig.call('/api/v1/diagnostics')).text();
    expectClean(text, rig);
    expect(JSON.parse(text)).toMatchObject({
      settings: { problem: 'SETTINGS_INVALID' },
      projects: { problem: 'STORE_DAMAGED' },
      doctor: { runs: { damaged: 1 } },
    });
    expect(text).toContain('"unknown"');
  });

  it('[H20] is written for an empty store, and only with the token', async () => {
    const rig = await createServerRig();
    const rejected = await rig.call('/api/v1/diagnostics', { headers: { authorization: undefined } });
    expect(rejected.status).toBe(401);
    const text = await (await rig.call('/api/v1/diagnostics')).text();
    expect(JSON.parse(text)).toMatchObject({ latest: [], projects: 0 });
  });
});

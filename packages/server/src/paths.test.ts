import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeTree } from '../../core/src/testing/file-tree.ts';
import { textReply, toolCallReply } from '../../core/src/testing/models/provider-replies.ts';
import { branchingPackage } from '../../core/src/testing/packages/branching-package.ts';
import { addScriptedModel, createServerRig, prepare, until } from './testing/server-rig.ts';

const KEY = 'sk-very-secret-key-of-mine';

describe('paths of this machine', () => {
  it('[H7] are in no response and no event, and neither is a key', async () => {
    const rig = await createServerRig();
    const { client, call, root, runtime } = rig;
    await writeTree(join(root, 'package'), branchingPackage());
    const { projectId, packageHash } = await prepare(rig, join(root, 'package'));
    const calls = [
      { name: 'fs_read', arguments: { path: join(root, 'project/README.md') } },
      { name: 'fs_list', arguments: { path: '@pkg' } },
      { name: 'fs_write', arguments: { path: '@project/artifacts/a.md', content: 'A' } },
      { name: 'fs_read', arguments: { path: '@state/workflow.md' } },
    ];
    await addScriptedModel(client, [toolCallReply(calls), textReply('Done.')]);
    await client.models.setKey({ name: 'scripted', body: { key: KEY } });
    const { workId: runId } = await client.works.create({
      body: { projectId, packageHash, kind: 'run', model: 'scripted' },
    });
    const runEvents = await until(
      client.works.events({ workId: runId, query: { after: '0' } }),
      (message) =>
        message.type === 'event' && message.data.type === 'phase.changed' && message.data.phase !== 'Running',
    );
    const body = { projectId, packageHash, kind: 'agent', model: 'rehearsal', input: 'Good day.' } as const;
    const { workId } = await client.works.create({ body });
    const threadEvents = await until(
      client.works.events({ workId, query: { after: '0' } }),
      (message) =>
        message.type === 'event' && message.data.type === 'phase.changed' && message.data.phase !== 'Running',
    );
    const paths = [
      '/works',
      `/works/${workId}`,
      `/works/${workId}/log`,
      `/works/${workId}/changes`,
      `/works/${runId}`,
      `/works/${runId}/log`,
      `/works/${runId}/state`,
      `/works/${runId}/changes`,
      `/works/${runId}/export?format=json`,
      '/packages',
      `/packages/${packageHash}`,
      `/packages/${packageHash}/graph`,
      `/packages/${packageHash}/validation`,
      `/packages/${packageHash}/nodes/step-01`,
      `/packages/${'a'.repeat(64)}`,
      `/packages/${packageHash}/users`,
      '/examples',
      `/projects/${projectId}/files/find?text=a`,
      '/storage',
      '/diagnostics',
      '/settings',
      '/models',
      '/servers',
      '/doctor',
      '/system',
      '/openapi.json',
      '/works/01a1de7a-846b-7205-b1df-136fc8f565ee',
      '/nothing',
    ];
    const texts = await Promise.all(
      paths.map(async (path) => {
        const text = await (await call(`/api/v1${path}`)).text();
        return path === '/storage' || path === '/doctor'
          ? withoutStoreLocation(text, runtime.store.root)
          : text;
      }),
    );
    // The model named a path itself; it was rejected, and the model's own text is shown unchanged.
    const events = JSON.stringify([runEvents, threadEvents]).replaceAll(join(root, 'project/README.md'), '');
    for (const text of [...texts.map((one) => one.replaceAll(join(root, 'project/README.md'), '')), events]) {
      expect(text).not.toContain(root);
      expect(text).not.toContain(join(homedir(), '.'));
      expect(text).not.toContain(KEY);
      expect(text).not.toContain('sk-of-the-environment');
    }
  });

  it('[H7] are not in errors about the store', async () => {
    const { call, runtime, root } = await createServerRig();
    await writeTree(runtime.store.root, { 'settings.json': '{"limits": 5}', 'projects.json': '{' });
    for (const path of ['/settings', '/projects', '/models', '/doctor']) {
      const response = await call(`/api/v1${path}`);
      const text = withoutStoreLocation(await response.text(), runtime.store.root);
      expect(text).not.toContain(root);
      if (path !== '/doctor') expect([422, 500]).toContain(response.status);
      expect(text).toMatch(/SETTINGS_INVALID|STORE_DAMAGED|problem/);
    }
  });
});

/** Removes the location of the store, which is reported once. */
function withoutStoreLocation(text: string, storeRoot: string): string {
  return text.replace(`"place":${JSON.stringify(storeRoot)}`, '');
}

import { join } from 'node:path';
import { settingsSchema } from '@crewagent/protocol/settings';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createRuntime } from '../../runtime.ts';
import { writeTree } from '../../testing/file-tree.ts';
import { startFakeProvider } from '../../testing/models/fake-provider.ts';
import { textReply, toolCallReply } from '../../testing/models/provider-replies.ts';
import { finishArguments } from '../../testing/models/scripted-model.ts';
import { branchingPackage } from '../../testing/packages/branching-package.ts';
import { tempFolder } from '../../testing/temp-folder.ts';

const leave = (from: string, to: string) =>
  toolCallReply([{ name: 'fs_apply_patch', arguments: finishArguments(from, to, { key: 'k' }) }]);

async function rigWithModels() {
  const root = await tempFolder();
  const project = join(root, 'project');
  await writeTree(project, { 'a.md': 'a' });
  await writeTree(join(root, 'package'), branchingPackage());
  const large = await startFakeProvider([
    toolCallReply([{ name: 'fs_write', arguments: { path: 'artifacts/k.md', content: 'x' } }]),
    leave('step-01', 'decide-02'),
    textReply('Back again?'),
  ]);
  const small = await startFakeProvider([leave('decide-02', 'step-03'), textReply('Hello.')]);
  onTestFinished(async () => {
    await large.close();
    await small.close();
  });
  const runtime = createRuntime({ storeRoot: join(root, 'store') });
  const entry = (baseUrl: string, model: string) => ({ provider: 'generic' as const, baseUrl, model });
  await runtime.store.settings.update({
    models: { large: entry(large.url, 'large-model'), small: entry(small.url, 'small-model') },
    defaultModel: 'large',
  });
  return { root, project, runtime, large, small };
}

describe('a model chosen for a node or project', () => {
  it('[A18] drives the nodes it is chosen for, and turns record the model', async () => {
    const { root, project, runtime, large, small } = await rigWithModels();
    await runtime.store.settings.update({ modelFor: { nodes: { 'decide-02': 'small' } } });
    const run = await runtime.createWork({ package: join(root, 'package'), projectPath: project });
    onTestFinished(() => run.close());
    const asked: (string | undefined)[] = [];
    run.engine.subscribe((event) => event.type === 'turn.started' && asked.push(event.model));
    expect(await run.engine.start()).toMatchObject({ reason: { code: 'reply' } });
    expect(asked).toEqual(['large-model', 'large-model', 'small-model', 'large-model']);
    expect([large.violations, small.violations]).toEqual([[], []]);
    expect(large.requests.map(({ body }) => body.model)).toEqual(Array(3).fill('large-model'));
  });

  it('[A18] drives a project, unless the request names a model', async () => {
    const { root, project, runtime } = await rigWithModels();
    const { projectId } = await runtime.store.projects.open(project, { now: () => new Date() });
    await runtime.store.settings.update({ modelFor: { projects: { [projectId]: 'small' } } });
    const request = { package: join(root, 'package'), projectPath: project };
    const modelOf = async (more = {}): Promise<string | undefined> => {
      const run = await runtime.createWork({ ...request, ...more });
      await run.close();
      return run.record.model.kind === 'provider' ? run.record.model.settings.model : undefined;
    };
    expect(await modelOf()).toBe('small-model');
    expect(await modelOf({ model: { model: 'large' } })).toBe('large-model');
  });

  it('[A18] is ignored if the settings no longer have it', async () => {
    const { root, project, runtime } = await rigWithModels();
    await runtime.store.settings.update({ modelFor: { agents: { any: 'gone' } } });
    const run = await runtime.createWork({ package: join(root, 'package'), projectPath: project });
    onTestFinished(() => run.close());
    expect(await run.engine.start()).toMatchObject({ phase: 'WaitingUser' });
    expect(settingsSchema.parse({}).modelFor).toEqual({ projects: {}, agents: {}, nodes: {} });
  });
});

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hideKeys } from '../llm/key-guard.ts';
import type { LLMAdapter } from '../llm/llm-adapter.ts';
import { parseAnchorBlocks } from '../prompt/earlier-logs.ts';
import {
  call,
  createScriptedModel,
  finish,
  type ScriptedModel,
  type ScriptLine,
} from '../testing/models/scripted-model.ts';
import { branchingPackage } from '../testing/packages/branching-package.ts';
import { createDiskRunRig, type DiskRunRig } from '../testing/rigs/run-rig.ts';
import { readTree } from '../testing/temp-folder.ts';

const KEY = 'sk-test-0123456789abcdef';
const CONFIG = `{\n  "url": "https://api.example",\n  "key": "${KEY}"\n}\n`;

const modelWith = (key: string | undefined, model: ScriptedModel): LLMAdapter =>
  hideKeys(model, key === undefined ? [] : [key]);

/** The text that the model sees instead of the key. */
const markerIn = (value: unknown): string =>
  /\[API key hidden: [0-9a-f]{32}\]/.exec(JSON.stringify(value))?.[0] ?? 'no marker';

async function rigWith(script: readonly ScriptLine[] | ScriptedModel, settings = {}): Promise<DiskRunRig> {
  const model = 'requests' in script ? script : createScriptedModel(script);
  return createDiskRunRig({
    package: branchingPackage(),
    model: modelWith(KEY, model),
    project: { 'config.json': CONFIG },
    settings,
  });
}

/** All files of the runs in the store, except before-images of a person's files. */
async function storedText({ store }: DiskRunRig): Promise<string> {
  const files = Object.entries(await readTree(store.projectsFolder));
  return files.map(([path, text]) => (path.includes('/journal/') ? '' : text)).join('\n');
}

const readProject = ({ project }: DiskRunRig, path: string): Promise<string> =>
  readFile(join(project, path), 'utf8');

describe('a key in a run', () => {
  it('[L73] is written to a file by a tool, and is in no log, record, event or request', async () => {
    const model = createScriptedModel([
      {
        content: `I use ${KEY}`,
        reasoning: `hm ${KEY}`,
        calls: [
          { name: 'fs_write', arguments: { path: 'artifacts/env.md', content: `KEY=${KEY}\n` } },
          { name: 'fs_read', arguments: { path: '@project/config.json' } },
        ],
      },
      `It was ${KEY}.`,
    ]);
    const rig = await rigWith(model);
    await rig.engine.start();
    expect(await readProject(rig, 'artifacts/env.md')).toBe(`KEY=${KEY}\n`);
    expect(JSON.stringify(rig.events)).not.toContain(KEY);
    expect(JSON.stringify(model.requests)).not.toContain(KEY);
    expect(await storedText(rig)).not.toContain(KEY);
    expect(await storedText(rig)).toContain(markerIn(rig.events));
    expect(rig.eventsOf('tool.ended').at(-1)?.content).toContain(markerIn(rig.events));
    expect(rig.bugs).toEqual([]);
  });

  it('[L73] is counted as its marker in the offsets of an anchor', async () => {
    const model = createScriptedModel([
      call('fs_apply_patch', { path: '@state/workflow.md', update: { variables: { set: { token: KEY } } } }),
      'Done.',
      'So.',
    ]);
    const rig = await rigWith(model);
    await rig.engine.start();
    await rig.engine.resume();
    const anchors = rig.eventsOf('message.completed').filter(({ purpose }) => purpose === 'anchor');
    expect(JSON.stringify(anchors)).toContain(markerIn(rig.events));
    for (const { content, anchorBlocks } of anchors) expect(anchorBlocks).toEqual(parseAnchorBlocks(content));
    expect(anchors.map(({ anchorBlocks }) => anchorBlocks?.stepEnd !== undefined)).toEqual([true, false]);
  });

  it('[L73] is preserved in a file that the model read and wrote back', async () => {
    const model = createScriptedModel((request, index) => {
      const last = request.messages.at(-1);
      if (index === 0) return call('fs_read', { path: '@project/config.json' });
      if (index > 1) return 'Done.';
      const { content } = JSON.parse(String(last?.content)) as { content: string };
      return call('fs_write', { path: '@project/config.json', content: content.replace('api.', 'api2.') });
    });
    const rig = await rigWith(model);
    await rig.engine.start();
    expect(await readProject(rig, 'config.json')).toBe(CONFIG.replace('api.', 'api2.'));
    expect(await storedText(rig)).not.toContain(KEY);
  });

  it('[L73] is found by a patch and a search that name its marker', async () => {
    const model = createScriptedModel((request, index) => {
      const marker = markerIn(request.messages);
      if (index === 0) return call('fs_read', { path: '@project/config.json' });
      if (index === 1) return call('fs_search', { query: marker });
      if (index === 2)
        return call('fs_apply_patch', {
          path: '@project/config.json',
          patches: [{ operation: 'replace', find: `"${marker}"`, replace: `"${marker}!"` }],
        });
      return 'Done.';
    });
    const rig = await rigWith(model);
    await rig.engine.start();
    expect(rig.eventsOf('tool.ended').map(({ outcome }) => outcome)).toEqual(['ok', 'ok', 'ok']);
    expect(rig.eventsOf('tool.ended')[1]?.content).toContain('config.json');
    expect(await readProject(rig, 'config.json')).toBe(CONFIG.replace(KEY, `${KEY}!`));
  });

  it('[L73] is never written to the state document', async () => {
    const rig = await rigWith([finish('step-01', 'decide-02', { secret: KEY }), 'Done.']);
    await rig.engine.start();
    expect(await rig.stateText()).toContain('API key hidden');
    expect(await storedText(rig)).not.toContain(KEY);
    // The document matches the memory of the run, so no outside change is reported.
    const again = await rig.reopen(modelWith(KEY, createScriptedModel(['Go on.'])));
    await again.engine.resume();
    expect(again.eventsOf('state.changed')).toEqual([]);
  });

  it('[L73] is not stored if a person typed it', async () => {
    const rig = await rigWith(['What is the key?', 'Thanks.']);
    await rig.engine.start();
    await rig.engine.say(`It is ${KEY}`);
    expect(await storedText(rig)).not.toContain(KEY);
  });
});

const writeKey = call('fs_write', { path: '@project/settings.ini', content: `key=${KEY}\n` });

describe('a call that waits across a restart', () => {
  it('[L73] writes the key when it is approved in another process, and asks only once', async () => {
    const rig = await rigWith([writeKey], { tools: { approval: 'ask' } });
    expect(await rig.engine.start()).toMatchObject({ reason: { code: 'approval' } });
    expect(rig.eventsOf('approval.requested')[0]?.action?.preview.text).toContain('API key hidden');
    const again = await rig.reopen(modelWith(KEY, createScriptedModel(['Done.'])));
    await again.engine.approve({ decision: 'once' });
    expect(again.eventsOf('approval.requested')).toEqual([]);
    expect(await readProject(rig, 'settings.ini')).toBe(`key=${KEY}\n`);
    expect(await storedText(rig)).not.toContain(KEY);
  });

  it.each(['sk-test-another-key-9876', undefined])(
    '[L73] is not made if the key is no longer known (now: %s)',
    async (key) => {
      const rig = await rigWith([writeKey], { tools: { approval: 'ask' } });
      await rig.engine.start();
      const again = await rig.reopen(modelWith(key, createScriptedModel(['I see.'])));
      await again.engine.approve({ decision: 'once' });
      expect(again.eventsOf('tool.ended')).toMatchObject([{ outcome: 'failed', code: 'TOOL_ARGS_INVALID' }]);
      expect(again.eventsOf('tool.ended')[0]?.content).toContain(
        'a hidden API key that this run no longer knows',
      );
      await expect(readProject(rig, 'settings.ini')).rejects.toMatchObject({ code: 'ENOENT' });
    },
  );
});

import { describe, expect, it } from 'vitest';
import { resolveTraits } from '../llm/provider/provider-profiles.ts';
import { call, createScriptedModel, type ScriptedModel } from '../testing/models/scripted-model.ts';
import { branchingPackage } from '../testing/packages/branching-package.ts';
import { step } from '../testing/packages/sample-package.ts';
import { rigFor } from '../testing/rigs/branching-run.ts';

const toolsOf = ({ requests }: ScriptedModel, index: number) =>
  requests[index]?.tools.map((tool) => tool.function.name);
const rulesOf = ({ requests }: ScriptedModel, index: number) => String(requests[index]?.messages[0]?.content);
const packageWith = (body: string) => branchingPackage({ 'steps/step-01.md': `${step('step-01')}${body}\n` });
const ALL = [
  'fs_read',
  'fs_list',
  'fs_search',
  'fs_write',
  'fs_apply_patch',
  'runtime_complete_node',
  'ui_ask_user',
];
const FEW = ['fs_read', 'fs_write', 'runtime_complete_node', 'ui_ask_user'];

describe('a small model', () => {
  it('[L155] gets shorter rules and the tools that its step needs', async () => {
    const model = createScriptedModel(['Which one?'], { size: 'small' });
    const rig = await rigFor([], { model, package: packageWith('Write the story.') });
    await rig.engine.start();
    expect(toolsOf(model, 0)).toEqual(FEW);
    const full = createScriptedModel(['Which one?']);
    await (await rigFor([], { model: full, package: packageWith('Write the story.') })).engine.start();
    expect(toolsOf(full, 0)).toEqual(ALL);
    expect(rulesOf(model, 0).length).toBeLessThan(0.7 * rulesOf(full, 0).length);
  });

  it.each([
    ['Search the notes for gaps.', 'fs_search'],
    ['List the folder of the stories.', 'fs_list'],
    ['Use fs.apply_patch on the draft.', 'fs_apply_patch'],
    ['更新文档。', 'fs_apply_patch'],
  ])('[L155] is offered a tool that the step speaks of: %s', async (body, tool) => {
    const model = createScriptedModel(['Which one?'], { size: 'small' });
    await (await rigFor([], { model, package: packageWith(body) })).engine.start();
    expect(toolsOf(model, 0)).toEqual(ALL.filter((name) => FEW.includes(name) || name === tool));
  });

  it('[L155] can call the other tools', async () => {
    const model = createScriptedModel([call('fs_list', { path: '@project' }), 'Which one?'], {
      size: 'small',
    });
    const rig = await rigFor([], { model, package: packageWith('Write the story.') });
    await rig.engine.start();
    expect(rig.eventsOf('tool.ended')).toMatchObject([{ name: 'fs.list', outcome: 'ok' }]);
  });

  it('[L155] is one that makes slips, from the fourth one on, also after a restart', async () => {
    const slips = Array.from({ length: 4 }, (_, index) => call(`nope_${index}`, {}));
    const model = createScriptedModel([...slips, 'Which one?'], { stopsOnPurpose: false });
    const rig = await rigFor([], { model, package: packageWith('Write the story.') });
    await rig.engine.start();
    expect([3, 4].map((index) => toolsOf(model, index)?.length)).toEqual([ALL.length, FEW.length]);
    const later = createScriptedModel(['Which one?'], { stopsOnPurpose: false });
    await (await rig.reopen(later)).engine.resume();
    expect(toolsOf(later, 0)).toEqual(FEW);
    const full = createScriptedModel([...slips, 'Which one?'], { stopsOnPurpose: false, size: 'full' });
    await (await rigFor([], { model: full, package: packageWith('Write the story.') })).engine.start();
    expect(toolsOf(full, 4)).toEqual(ALL);
  });

  it('[L155] is one with a small context, unless a person says otherwise', () => {
    const sizeOf = (more: object) =>
      resolveTraits({ provider: 'generic', baseUrl: 'http://localhost:1/v1', model: 'm', ...more }).size;
    expect(sizeOf({ contextTokens: 16_384 })).toBe('small');
    expect(sizeOf({ contextTokens: 32_768 })).toBeUndefined();
    expect(sizeOf({ contextTokens: 8_192, size: 'full' })).toBe('full');
    expect(sizeOf({ size: 'small' })).toBe('small');
  });
});

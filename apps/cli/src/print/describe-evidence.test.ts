import type { ItemOf } from '@crewagent/protocol/story/items';
import { createStory, type Story } from '@crewagent/protocol/story/story';
import { systemToolPolicySchema, type ToolEffect } from '@crewagent/protocol/tools';
import { expect, it } from 'vitest';
import { describeDeviations } from './describe-evidence.ts';

const call = (more: Partial<ItemOf<'tool'>>, effect: ToolEffect): ItemOf<'tool'> => ({
  seq: 1,
  ts: '',
  kind: 'tool',
  callId: 'c',
  name: 'fs.write',
  arguments: '{}',
  path: effect.path,
  status: 'ok',
  durationMs: 1,
  ...more,
  effect,
});

it('[C20] lists changes outside the artifacts folder, refusals and what is missing', () => {
  const view: Story = {
    ...createStory('r'),
    timeline: [
      call({}, { kind: 'written', path: '@project/artifacts/a.md' }),
      call({}, { kind: 'written', path: '@project/src/b.ts' }),
      call({ name: 'fs.apply_patch' }, { kind: 'patched', path: '@project/src/b.ts' }),
      call(
        { name: 'fs.read', status: 'refused', code: 'E_SANDBOX_VIOLATION' },
        { kind: 'read', path: '@project/.env' },
      ),
      call({ status: 'failed', code: 'ENOENT' }, { kind: 'written', path: '@project/c.md' }),
    ],
  };
  const record = { tools: systemToolPolicySchema.parse({}) };
  const plain = (_: string, text: string): string => text;
  expect(describeDeviations({ record, view }, ['artifacts/story.md'], plain)).toEqual([
    'Changed outside the artifacts folder',
    '  src/b.ts',
    'Refused',
    '  fs.read @project/.env: E_SANDBOX_VIOLATION',
    'Missing',
    '  artifacts/story.md',
  ]);
  expect(describeDeviations({ record, view: createStory('r') }, [], plain)).toEqual([]);
});

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { playAs } from '../../testing/rigs/play-as.ts';

const EXAMPLES = fileURLToPath(new URL('../../../../../examples', import.meta.url));

describe.each([
  ['create-story-micro', undefined, 'step-01-select-story'],
  ['create-story-micro-zh', undefined, 'step-01-select-story'],
  ['hello-branch', undefined, 'step-01-intake'],
  ['hello-branch-zh', undefined, 'step-01-intake'],
  ['multi-workflows', 'hello-linear', 'step-01-ask'],
  ['multi-workflows', 'decision-record', 'step-01-frame'],
  ['supper-plan', undefined, 'choose-dish'],
])('%s %s', (name, workflow, first) => {
  const options = { package: join(EXAMPLES, name), ...(workflow === undefined ? {} : { workflow }) };

  it('[S71] is not finished by a model that does nothing', async () => {
    const { phase, code, nodeId } = await playAs('lazy', options);
    expect([phase, nodeId]).toEqual(['WaitingUser', first]);
    expect(code).toMatch(/^E_(?:OUTPUT_INCOMPLETE|PERSON_NOT_HEARD)$/);
  });

  it.each(['rehearsal', 'literal', 'asking'] as const)('[S71] [L130] is proved by the %s', async (kind) => {
    const { phase, isProved, files, stubs } = await playAs(kind, options);
    expect([phase, isProved, stubs]).toEqual(['Completed', true, []]);
    expect(files).toBeGreaterThan(0);
  });
});

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { serialiseRequest } from '../llm/serialise.ts';
import { createScriptedModel } from '../testing/models/scripted-model.ts';
import { replyAsStoryReader } from '../testing/models/story-reader.ts';
import { createRunRig } from '../testing/rigs/run-rig.ts';

const EXAMPLES = fileURLToPath(new URL('../../../../examples', import.meta.url));
const DEMO = join(EXAMPLES, 'demo-project');
const PROJECT = Object.fromEntries(
  ['sprint-status.yaml', ...readdirSync(join(DEMO, 'docs')).map((name) => `docs/${name}`)].map((name) => [
    name,
    readFileSync(join(DEMO, name), 'utf8'),
  ]),
);

async function play({
  prefetchBytes,
  isCautious = false,
}: {
  prefetchBytes?: number;
  isCautious?: boolean;
} = {}) {
  const model = createScriptedModel((request) => replyAsStoryReader(request, { isCautious }));
  const rig = await createRunRig({
    package: join(EXAMPLES, 'create-story-micro'),
    model,
    project: PROJECT,
    ...(prefetchBytes === undefined ? {} : { settings: { context: { prefetchBytes } } }),
  });
  let stop = await rig.engine.start();
  if (stop.phase === 'WaitingUser') stop = await rig.engine.answer({ menu: '[C] Continue' });
  const sizes = model.requests.map(
    (request) =>
      serialiseRequest(request, { model: 'm' } as Parameters<typeof serialiseRequest>[1], 'counted').length,
  );
  return { rig, stop, model, sizes, bytes: sizes.reduce((sum, size) => sum + size, 0) };
}

describe('create-story-micro, played by a reader who has only what it is sent', () => {
  it('[P12] takes at most 10 requests and 200 kB', async () => {
    const { rig, stop, sizes, bytes } = await play();
    expect(stop).toEqual({ phase: 'Completed' });
    expect(sizes.length).toBeLessThanOrEqual(10);
    expect(bytes).toBeLessThanOrEqual(200_000);
    // There is no folder of stories yet.
    expect(rig.eventsOf('tool.ended').filter(({ outcome }) => outcome !== 'ok')).toHaveLength(1);
    const story = readFileSync(join(rig.project, 'artifacts/stories/1-2-invite-by-code.md'), 'utf8');
    const cited = [...story.matchAll(/^- (.*) \((docs\/[\w-]+\.md):(\d+)\)/gm)];
    expect(cited.length).toBeGreaterThan(10);
    for (const [, words = '', path = '', line = ''] of cited)
      expect(PROJECT[path]?.split('\n')[Number(line) - 1]).toContain(words.replace(/^- /, '').slice(0, 40));
  });

  it('[P12] takes at most 10 requests also if the person is asked', async () => {
    const { rig, stop, sizes } = await play({ isCautious: true });
    expect(stop).toEqual({ phase: 'Completed' });
    expect(rig.eventsOf('question.asked')).toHaveLength(1);
    expect(sizes.length).toBeLessThanOrEqual(10);
  });

  it('[P12] takes fewer turns than without the prefetched files', async () => {
    const [ready, bare] = [await play(), await play({ prefetchBytes: 0 })];
    expect(bare.stop).toEqual({ phase: 'Completed' });
    expect(bare.sizes.length - ready.sizes.length).toBeGreaterThanOrEqual(4);
    expect(ready.bytes).toBeLessThan(bare.bytes);
  });
});

import { fileURLToPath } from 'node:url';
import type { RunEvent } from '@crewagent/protocol/events';
import { toEvidence } from '@crewagent/protocol/evidence';
import { describe, expect, it } from 'vitest';
import { createRehearsal } from '../../llm/rehearsal/rehearsal.ts';
import { createReader } from '../../rehearse/readers/reader.ts';
import { playToEnd } from '../../testing/play-to-end.ts';
import { createRunRig } from '../../testing/rigs/run-rig.ts';

const EXAMPLES = fileURLToPath(new URL('../../../../../examples', import.meta.url));

describe.each(['create-story-micro', 'create-story-micro-zh'])('%s', (name) => {
  const folder = `${EXAMPLES}/${name}`;

  it('[S71] is not finished by a model that does nothing', async () => {
    const rig = await createRunRig({ package: folder, model: createReader('lazy') });
    expect(await rig.engine.start()).toMatchObject({
      phase: 'WaitingUser',
      reason: { code: 'E_OUTPUT_INCOMPLETE' },
    });
    expect(rig.engine.memory.state.currentNodeId).toBe('step-01-select-story');
  });

  it('[L131] is proved by a rehearsal, from its log alone', async () => {
    const rig = await createRunRig({ package: folder, model: createRehearsal() });
    expect(await playToEnd(rig.engine)).toEqual({ phase: 'Completed' });
    const events: RunEvent[] = [];
    await rig.store.works.readLog(
      { projectId: rig.record.projectId, workId: rig.record.workId, isRun: true },
      (event) => void events.push(event),
    );
    const sheet = toEvidence(rig.record.workId, events);
    expect(sheet).toMatchObject({ isProved: true, totals: { proved: 6, nodes: 6 } });
  });
});

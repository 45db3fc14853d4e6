import { describe, expect, it } from 'vitest';
import { toAddress } from '../store/work-address.ts';
import { call } from '../testing/models/scripted-model.ts';
import { diskRigFor } from '../testing/rigs/branching-run.ts';
import { CONTEXT } from '../testing/rigs/run-rig.ts';
import { readPosition } from './read-position.ts';

describe('the files of a run that waits', () => {
  it('[H28] are counted wherever they are, without those that are gone or undone', async () => {
    const rig = await diskRigFor(
      [
        call('fs_write', { path: 'artifacts/k.md', content: 'x' }),
        call('fs_write', { path: 'notes.md', content: 'x' }),
        call('fs_write', { path: 'README.md', content: 'x' }),
        'What now?',
      ],
      { settings: { tools: { approval: 'autopilot' } } },
    );
    const count = async () => (await readPosition(rig.store, toAddress(rig.record), CONTEXT))?.files;
    expect(await count()).toBe(0);
    await rig.engine.start();
    expect(await count()).toBe(3);
    await rig.undo({ callId: rig.eventsOf('tool.ended').at(-1)?.callId ?? '' });
    expect(await count()).toBe(2);
    await rig.undo({ all: true });
    expect(await count()).toBe(0);
  });
});

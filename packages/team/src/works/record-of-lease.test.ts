import { toAddress } from '@crewagent/core/store';
import type { WorkRecord } from '@crewagent/protocol/work';
import { describe, expect, it } from 'vitest';
import { sampleDraft } from '../../../core/src/testing/sample-record.ts';
import { countStatements } from '../testing/counted-database.ts';
import { databaseWithProjects, openTestWorks } from '../testing/test-works.ts';

const now = (): Date => new Date('2026-01-31T09:30:00.000Z');

describe('The record of a Work whose lease is held', () => {
  it('is not read again before each change, and what others changed meanwhile stays', async () => {
    const database = await databaseWithProjects();
    let statements = 0;
    const counted = countStatements(database, () => {
      statements++;
    });
    const [holder, person] = [await openTestWorks(counted), await openTestWorks(database)];
    const address = toAddress(await holder.create(sampleDraft(), { now }));
    const lease = await holder.lease(address);
    await holder.read(address);
    const setPhase = (phase: 'Running' | 'WaitingUser' | 'Completed') =>
      holder.update(address, (record: WorkRecord) =>
        record.phase === phase ? record : ({ ...record, phase } as WorkRecord),
      );
    const before = statements;
    await setPhase('Running');
    await setPhase('WaitingUser');
    expect(statements - before).toBe(2);

    const tools = { approval: 'autopilot' } as const;
    await person.update(address, (record: WorkRecord) => ({
      ...record,
      tools: { ...record.tools, ...tools },
    }));
    expect((await setPhase('Running')).tools).toMatchObject(tools);
    await person.update(address, (record: WorkRecord) => ({ ...record, phase: 'Completed' }) as WorkRecord);
    // Nothing to change for whoever knows the record of before.
    expect((await setPhase('Running')).phase).toBe('Running');
    expect(await person.read(address)).toMatchObject({ phase: 'Running', tools });
    await lease.release();
  });
});

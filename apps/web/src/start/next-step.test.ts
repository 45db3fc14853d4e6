import type { ShownProject } from '@crewagent/protocol/api/projects';
import type { WorkList } from '@crewagent/protocol/api/work-messages';
import { describe, expect, it } from 'vitest';
import { nextStepFor } from './next-step.tsx';

const at = (day: number) => `2026-01-0${day}T00:00:00.000Z`;
const project = (projectId: string, exists = true): ShownProject => ({
  projectId,
  name: projectId,
  path: `/${projectId}`,
  exists,
  approvals: [],
  createdAt: at(1),
  lastOpenedAt: at(1),
});
const conversation = (workId: string, projectId: string, updatedAt: string, more = {}) => ({
  workId,
  projectId,
  title: '',
  kind: 'chat' as const,
  phase: 'WaitingUser' as const,
  createdAt: at(1),
  updatedAt,
  ...more,
});
const listOf = (works: WorkList['works']): WorkList => ({ works, damaged: [] });

describe('the Work to continue', () => {
  it('[U43] is the most recent one, in any folder that exists', () => {
    const list = listOf([
      conversation('old', 'larder', at(2)),
      conversation('latest', 'cellar', at(3)),
      conversation('put-away', 'larder', at(4), { archivedAt: at(4) }),
      conversation('lost', 'gone', at(5)),
    ]);
    expect(nextStepFor(list, [project('larder'), project('cellar'), project('gone', false)])).toMatchObject({
      project: { name: 'cellar' },
      route: { name: 'work', projectId: 'cellar', workId: 'latest' },
    });
  });

  it('[U43] is undefined before the first Work', () => {
    expect(nextStepFor(listOf([]), [project('larder')])).toBeUndefined();
  });
});

/**
 * Draft of a run, for tests of the store.
 */
import { runLimitsSchema } from '@crewagent/protocol/settings';
import { systemToolPolicySchema } from '@crewagent/protocol/tools';
import { runBeside } from '../store/work-address.ts';
import type { RunDraft } from '../store/work-store.ts';
import { SAMPLE_STATE } from './sample-run.ts';

export const SAMPLE_PROJECT_ID = '01890a5d-ac96-7bbd-8000-0000000000aa';

/** Address of a run for tests of the store. */
export const SAMPLE_RUN = runBeside({ projectId: SAMPLE_PROJECT_ID }, SAMPLE_PROJECT_ID.replace(/aa$/, 'cc'));

export function sampleDraft(change: Partial<RunDraft> = {}): RunDraft {
  return {
    projectId: SAMPLE_PROJECT_ID,
    packageHash: 'a'.repeat(64),
    packageName: 'sample',
    packageVersion: '1.0.0',
    workflowRef: 'workflow.md',
    workflowTitle: 'Sample',
    activeAgentId: 'analyst',
    model: { kind: 'rehearsal' },
    tools: systemToolPolicySchema.parse({}),
    context: { scope: 'node' },
    limits: runLimitsSchema.parse({}),
    stateTemplate: SAMPLE_STATE,
    entryNodeId: 'step-01',
    ...change,
  };
}

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SAMPLE_GRAPH, SAMPLE_STATE } from '../testing/sample-run.ts';
import { rewindState } from './rewind-state.ts';
import { isComplete } from './transition.ts';
import { readWorkflowState } from './workflow-state.ts';

const NOW = '2026-02-01T00:00:00.000Z';

async function rewound(text: string, to: string) {
  const parsed = await readWorkflowState(text);
  if (!parsed.ok) throw new Error(parsed.error.message);
  return rewindState(text, parsed.state, { to, graph: SAMPLE_GRAPH, now: NOW });
}

const COMPLETE = `---
schemaVersion: "1.1"
workflowType: sample
runId: 0190-run
currentNodeId: end-99 # here it ends
stepsCompleted:
  - step-01
  # the one decision
  - decide-02
  - end-99
decisionLog:
  - { from: decide-02, to: step-03a, label: a }
variables:
  key: k
  workflowStatus: complete
artifacts: [a.md]
own: stays
---

# Body
`;

describe('a rewound document', () => {
  it('[S17] is at the earlier node, and keeps the history and all else', async () => {
    const text = SAMPLE_STATE.replace('currentNodeId: ""', 'currentNodeId: decide-02').replace(
      'stepsCompleted: []',
      'stepsCompleted: [step-01] # so far',
    );
    const found = await rewound(text, 'step-01');
    expect(found?.state).toMatchObject({ currentNodeId: 'step-01', stepsCompleted: ['step-01'] });
    expect(found?.stepsRemoved).toEqual([]);
    expect(found?.text).toContain('stepsCompleted: [step-01] # so far');
  });

  it('[S17] is not complete, even if the end is reached again', async () => {
    for (const text of [COMPLETE, COMPLETE.replaceAll('\n', '\r\n'), `\uFEFF${COMPLETE}`]) {
      const found = await rewound(text, 'step-01');
      expect(found).toMatchObject({ stepsRemoved: ['end-99'] });
      const state = found?.state;
      if (!state) throw new Error('it was not rewound');
      expect(state.stepsCompleted).toEqual(['step-01', 'decide-02']);
      expect(state.variables).toEqual({ key: 'k' });
      expect(isComplete({ ...state, currentNodeId: 'end-99' }, SAMPLE_GRAPH)).toBe(false);
      expect(found.text).toContain('# the one decision');
      expect(found.text).toContain('own: stays');
      expect(found.text.endsWith(text.slice(-8))).toBe(true);
      expect(found.text.includes('\r\n')).toBe(text.includes('\r\n'));
    }
  });

  it('[S17] has the reason as a new decision, and the earlier ones as they were written', async () => {
    const decision = '  - {from: decide-02, to: step-03a, label: a, decidedAt: ""} # sure';
    const text = COMPLETE.replace(/ {2}- \{.*\}/, decision);
    const parsed = await readWorkflowState(text);
    if (!parsed.ok) throw new Error(parsed.error.message);
    const options = { to: 'step-01', graph: SAMPLE_GRAPH, now: NOW, reason: 'too early' };
    const found = await rewindState(text, parsed.state, options);
    expect(found?.text).toContain(`${decision}\n  - from: end-99\n`);
    expect(found?.state.decisionLog).toHaveLength(2);
  });

  it('[S17] keeps a status other than complete', async () => {
    const found = await rewound(COMPLETE.replace('Status: complete', 'Status: reviewed'), 'step-01');
    expect(found?.state.variables).toEqual({ key: 'k', workflowStatus: 'reviewed' });
  });

  it('[S17] reads back as intended, whatever was done and set before', async () => {
    const nodes = SAMPLE_GRAPH.nodes.map(({ id }) => id);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...nodes)),
        fc.constantFrom(...nodes),
        fc.dictionary(
          fc.string({ minLength: 1, maxLength: 8 }),
          fc.oneof(fc.string(), fc.constant('complete')),
        ),
        async (done, to, variables) => {
          const text = SAMPLE_STATE.replace(
            'stepsCompleted: []',
            `stepsCompleted: ${JSON.stringify(done)}`,
          ).replace(/^variables:.*$/m, () => `variables: ${JSON.stringify(variables)}`);
          const before = await readWorkflowState(text);
          if (!before.ok) return;
          const found = await rewound(text, to);
          expect(found).toBeDefined();
          const read = await readWorkflowState(found?.text ?? '');
          expect(read).toEqual({ ok: true, state: found?.state });
          if (read.ok) expect(isComplete(read.state, SAMPLE_GRAPH)).toBe(false);
        },
      ),
    );
  });
});

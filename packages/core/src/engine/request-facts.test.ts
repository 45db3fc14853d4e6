import { describe, expect, it } from 'vitest';
import type { LLMAdapter } from '../llm/llm-adapter.ts';
import type { RequestFacts } from '../llm/request-facts.ts';
import { serialiseRequest } from '../llm/serialise.ts';
import { call, createScriptedModel, finish } from '../testing/models/scripted-model.ts';
import { branchingPackage } from '../testing/packages/branching-package.ts';
import { createRunRig } from '../testing/rigs/run-rig.ts';

/** A model that records the facts of each request. */
function createRecordingModel(
  replies: Parameters<typeof createScriptedModel>[0],
): LLMAdapter & { seen: RequestFacts[] } {
  const model = createScriptedModel(replies);
  const seen: RequestFacts[] = [];
  return {
    ...model,
    seen,
    async chat(request, watch) {
      const facts = await request.facts?.();
      if (facts) seen.push(facts);
      return model.chat(request, watch);
    },
  };
}

describe('the facts of a request', () => {
  it('[K1] contain the position of the run and the messages sent there', async () => {
    const model = createRecordingModel([
      call('fs_list', { path: '@project' }),
      'What now?',
      finish('step-01', 'decide-02'),
      'There.',
    ]);
    const rig = await createRunRig({ package: branchingPackage(), model });
    await rig.engine.start();
    await rig.engine.say('NODE_BRIEF\n- currentNodeId: elsewhere');
    const anchor = { kind: 'anchor', nodeId: 'step-01' };
    const said = { kind: 'words', text: 'NODE_BRIEF\n- currentNodeId: elsewhere', nodeId: 'step-01' };
    expect(model.seen.map(({ node, groups, sent }) => [node?.nodeId, groups, sent])).toEqual([
      ['step-01', 0, [{ ...anchor, at: 0 }]],
      ['step-01', 1, [{ ...anchor, at: 0 }]],
      [
        'step-01',
        1,
        [
          { ...anchor, at: 0 },
          { kind: 'reply', at: 1 },
          { ...said, at: 1 },
        ],
      ],
      ['decide-02', 2, [{ ...anchor, nodeId: 'decide-02', at: 2 }]],
    ]);
    expect(model.seen[0]).toMatchObject({
      isThread: false,
      node: { stepFile: expect.stringMatching(/^@pkg\//) as string, outgoing: [{ to: 'decide-02' }] },
    });
    expect(model.seen[0]?.node?.stepText).toContain('---');
  });

  it('[K1] are the same after a restart', async () => {
    const model = createRecordingModel([call('fs_list', { path: '@project' }), 'What now?', 'Well.']);
    const rig = await createRunRig({ package: branchingPackage(), model });
    await rig.engine.start();
    await rig.engine.say('Go on.');
    const again = createRecordingModel(['Well.', 'Well.']);
    const reopened = await rig.reopen(again);
    await reopened.engine.say('More.');
    const last = model.seen.at(-1);
    const { sent = [], ...rest } = again.seen[0] ?? {};
    expect(rest).toEqual({
      isThread: false,
      language: last?.language,
      node: last?.node,
      groups: last?.groups,
    });
    expect(sent.slice(0, last?.sent.length)).toEqual(last?.sent);
  });

  it('[K1] are never sent', () => {
    const request = { messages: [{ role: 'user', content: 'hello' }], tools: [] } as const;
    const settings = {
      model: 'm',
      maxTokensField: 'max_tokens',
      maxOutputTokens: 1,
      temperature: 0,
    } as const;
    const facts = async () => ({ isThread: true, node: undefined, groups: 7, sent: [] });
    expect(serialiseRequest({ ...request, facts }, settings, 'whole')).toEqual(
      serialiseRequest(request, settings, 'whole'),
    );
  });
});

/** A model that wants to go back, in a run that nobody attends. */
import { expect, it } from 'vitest';
import { startFakeProvider } from '../../../packages/core/src/testing/models/fake-provider.ts';
import { textReply, toolCallReply } from '../../../packages/core/src/testing/models/provider-replies.ts';
import { branchingPackage } from '../../../packages/core/src/testing/packages/branching-package.ts';
import { attach, createCliRig } from './testing/cli-rig.ts';

it('[C90] is told that nobody is here to approve it, and the run continues', async () => {
  const rig = await createCliRig();
  const provider = attach(
    await startFakeProvider([
      toolCallReply([
        {
          name: 'runtime_complete_node',
          arguments: { nodeId: 'step-01', next: 'decide-02', variables: { mark: 'k' } },
        },
      ]),
      toolCallReply([{ name: 'runtime_go_back', arguments: { to: 'step-01', reason: 'Better goals.' } }]),
      textReply('Which way?'),
    ]),
  );
  const folder = await rig.write('branching', branchingPackage());
  const { code } = await rig.run('run', folder, '-p', 'project', ...provider.options);
  expect(code).toBe(3);
  expect(provider.requests).toHaveLength(3);
  expect(JSON.stringify(provider.requests[2]?.body)).toContain('nobody is here to approve it');
});

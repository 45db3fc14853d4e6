import { describe, expect, it } from 'vitest';
import { importModule } from '../testing/imported-module.ts';
import { createMcpRig } from '../testing/mcp-rig.ts';
import { callTool, playHost } from '../testing/scripted-host.ts';

const WORKFLOWS = [
  ['create-story-micro', undefined],
  ['multi-workflows', 'decision-record'],
  ['supper-plan', undefined],
] as const;

const start = (name: string, workflow: string | undefined) => ({
  package: name,
  ...(workflow === undefined ? {} : { workflow }),
});

describe('a host whose model does the work', () => {
  it.each(WORKFLOWS)(
    '[O2] [O4] %s %s: a literal host finishes it, and every step is proved',
    async (name, workflow) => {
      const rig = await createMcpRig();
      const { client } = await rig.connect({ form: () => 'C' });
      const { text } = await callTool(client, 'start_workflow', start(name, workflow));
      const last = await playHost('literal', text, { project: rig.project, client });
      expect(last).toMatchObject({
        isError: false,
        text: expect.stringContaining('The workflow is complete.') as unknown,
      });
      const [runId = ''] = (await rig.runIds()).slice(-1);
      expect(await rig.evidence(runId)).toMatchObject({ isProved: true, missing: [] });
    },
  );

  it('[O2] [O4] an imported workflow is finished and proved by a literal host; a lazy one does not leave its first step', async () => {
    const rig = await createMcpRig();
    await importModule(rig);
    const { client } = await rig.connect({ form: () => 'C' });
    const begin = () => callTool(client, 'start_workflow', { package: 'yard' });
    const { text } = await begin();
    const last = await playHost('literal', text, { project: rig.project, client });
    expect(last.text).toContain('The workflow is complete.');
    const [runId = ''] = (await rig.runIds()).slice(-1);
    const { isProved, missing, visits } = await rig.evidence(runId);
    expect([isProved, missing]).toEqual([true, []]);
    expect(visits.filter(({ outcome }) => outcome === 'proved').length).toBeGreaterThan(1);
    const other = await begin();
    const first = /- currentNodeId: (\S+)/.exec(other.text)?.[1];
    await playHost('lazy', other.text, { project: rig.project, client });
    expect(JSON.parse((await callTool(client, 'workflow_state')).text)).toMatchObject({
      currentNodeId: first,
      stepsCompleted: [],
    });
  });

  it.each(WORKFLOWS)(
    '[O2] %s %s: a lazy host does not leave the first step that waits or produces',
    async (name, workflow) => {
      const rig = await createMcpRig();
      const { client } = await rig.connect({ form: () => 'C' });
      const { text } = await callTool(client, 'start_workflow', start(name, workflow));
      const first = /- currentNodeId: (\S+)/.exec(text)?.[1];
      await playHost('lazy', text, { project: rig.project, client });
      const state = JSON.parse((await callTool(client, 'workflow_state')).text) as Record<string, unknown>;
      expect([state.currentNodeId, state.stepsCompleted]).toEqual([first, []]);
    },
  );
});

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { writeTree } from '../../../core/src/testing/file-tree.ts';
import { ENTRY } from '../testing/local-server.ts';
import { createMcpRig, type McpRig } from '../testing/mcp-rig.ts';
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

/** A module as people write them: two steps with a menu each, a document that grows, and an end. */
const MODULE = {
  'yard/module.yaml': 'code: yard\nname: Yard\n',
  'yard/workflows/walk/workflow.md':
    '---\nname: walk\ndescription: A walk through the yard\n---\n# Walk\n\nLoad, read and follow steps/step-01-look.md\n',
  'yard/workflows/walk/steps/step-01-look.md':
    '---\noutputFile: \'{output_folder}/walk.md\'\n---\n# Look\n\nWrite what you see to {outputFile}, with the heading `## Beds`.\n\nDisplay: "[C] Continue". ALWAYS halt and wait for the user. When the user selects C, load, read and follow ./step-02-weed.md\n',
  'yard/workflows/walk/steps/step-02-weed.md':
    '---\noutputFile: \'{output_folder}/walk.md\'\n---\n# Weed\n\nAppend the section `## Weeds` to {outputFile}.\n\nDisplay: "[C] Continue". ALWAYS halt and wait for the user. When the user selects C, load, read and follow ./step-03-end.md\n',
  'yard/workflows/walk/steps/step-03-end.md': '# End\n\nSay goodbye to {user_name}.\n',
};

async function importModule(rig: McpRig): Promise<void> {
  const source = join(rig.root, 'source');
  await writeTree(source, MODULE);
  const run = (...args: string[]) =>
    promisify(execFile)(process.execPath, [ENTRY, ...args], { env: rig.env });
  const out = join(rig.root, 'yard');
  await run('import', join(source, 'yard'), '-o', out);
  await run('packages', 'add', out);
}

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

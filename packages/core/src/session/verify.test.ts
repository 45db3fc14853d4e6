import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { textReply, toolCallReply } from '../testing/models/provider-replies.ts';
import { samplePackage, step } from '../testing/packages/sample-package.ts';
import { hasSandbox } from '../testing/require-sandbox.ts';
import { createShellRig } from '../testing/rigs/mcp-rig.ts';
import { tempFolder, writeTree } from '../testing/temp-folder.ts';

const leave = (nodeId: string, next?: string) =>
  toolCallReply([{ name: 'runtime_complete_node', arguments: { nodeId, ...(next ? { next } : {}) } }]);

/** A run whose first step verifies that `done.txt` exists; the model tries twice. */
async function verify(approval: 'ask' | 'autopilot', allow: string[] = []) {
  const script = [
    leave('step-01', 'end-99'),
    textReply('Now?'),
    leave('step-01', 'end-99'),
    leave('end-99'),
    textReply('Done.'),
  ];
  const rig = await createShellRig(script, { shell: { enabled: true, allow } });
  const pkg = join(await tempFolder(), 'package');
  const keys = 'verify: [{run: test -f done.txt}]\n';
  await writeTree(pkg, samplePackage(undefined, { 'steps/step-01.md': step('step-01', 'step', keys) }));
  const run = await rig.runtime.createWork({
    package: pkg,
    projectPath: rig.project,
    model: rig.model,
    approval,
  });
  const refused: string[] = [];
  run.engine.subscribe((event) => {
    if (event.type === 'transition.refused') refused.push(event.message);
  });
  await run.engine.start();
  await writeFile(join(rig.project, 'done.txt'), '');
  const stop = await run.engine.say('Yes, now.');
  await run.close();
  await rm(pkg, { recursive: true });
  return { stop, refused };
}

describe.runIf(hasSandbox)('a command that a step verifies with', () => {
  it('[S57] runs in the sandbox where commands are on, and must end as expected', async () => {
    const { stop, refused } = await verify('autopilot');
    expect(refused).toEqual([
      expect.stringContaining('"test -f done.txt" ended with 1 and must end with 0') as string,
    ]);
    expect(stop).toEqual({ phase: 'Completed' });
  });

  it('[S57] needs the same consent as a command of the model', async () => {
    expect((await verify('ask')).refused).toEqual(
      Array(2).fill(expect.stringContaining('was not run: it needs an approval') as string),
    );
    expect((await verify('ask', ['test -f'])).stop).toEqual({ phase: 'Completed' });
  });
});

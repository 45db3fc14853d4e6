/**
 * A process that patches a run's state document until it is killed. Continues from the state that an earlier process left.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildToolRig } from '../rigs/build-tool-rig.ts';
import { SAMPLE_STATE } from '../sample-run.ts';

const root = process.argv[2] ?? '';
const document = join(root, 'run', 'state', 'workflow.md');
const stateText = existsSync(document) ? readFileSync(document, 'utf8') : SAMPLE_STATE;
const rig = await buildToolRig(root, { stateText });
for (let count = Number(/count: (\d+)/.exec(stateText)?.[1] ?? 0) + 1; ; count++) {
  const result = await rig.call('fs.apply_patch', {
    path: '@state/workflow.md',
    patches: [{ operation: 'updateFrontmatter', update: { variables: { set: { count } } } }],
  });
  if (!result.ok) throw new Error(result.error.message);
  process.stdout.write(`${count}\n`);
}

/**
 * A process that executes one tool call on the folders of a tool rig, and prints the result.
 */
import { buildToolRig } from '../rigs/build-tool-rig.ts';

const [root = '', name = '', argumentsText = ''] = process.argv.slice(2);
const { outcome, bugs } = await buildToolRig(root, { isReopened: true });
const executed = await outcome(name, argumentsText);
process.stderr.write(bugs.join('\n'));
process.stdout.write(executed.kind === 'done' ? executed.content : JSON.stringify(executed));

/** Starts a process tree in the working directory, says so, and ends when its input does. */
import { startProcessTree } from '../../processes/process-tree.ts';

const [script = ''] = process.argv.slice(2);
const tree = startProcessTree({
  command: '/bin/sh',
  args: ['-c', script],
  env: {},
  inheritEnv: [],
  cwd: process.cwd(),
});
tree.stdout.pipe(process.stdout);
process.stdin.resume().once('end', () => void tree.kill().then(() => process.exit()));

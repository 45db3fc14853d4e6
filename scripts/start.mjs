/**
 * `npm start`: shows what CrewAgent does, on the bundled examples.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { build, cliEntry } from './build.mjs';
import { root, runNode, say, setUp } from './set-up.mjs';

setUp();
await build();
const packages = readdirSync(join(root, 'examples'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && entry.name !== 'demo-project')
  .map((entry) => join('examples', entry.name));
say('Validating the bundled example packages…\n');
const status = runNode([cliEntry, 'validate', ...packages]);
if (status === 0) {
  say(`
Try it yourself:
  npm run -s crewagent -- new my-package       make a package to start from
  npm run -s crewagent -- validate my-package  check it
  npm run -s crewagent -- --help               everything else`);
}
process.exitCode = status;

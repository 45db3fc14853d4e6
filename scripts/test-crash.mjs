/**
 * `npm run test:crash`: kills processes and simulates power loss at every point, and gives each property test up to a minute more, where
 * `npm test` uses a sample; simulates a server with new seeds for ten minutes. Takes an hour or more. With arguments, only test files
 * whose path contains one of them.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from './build.mjs';
import { root, runTool, setUp } from './set-up.mjs';

const THOROUGH = /testing\/kill-points\.ts'|from 'fast-check'/;

setUp();
await build();
const names = process.argv.slice(2);
const files = ['packages', 'apps', 'scripts'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true })
    .map((path) => join(folder, path))
    .filter((path) => path.endsWith('.test.ts') && !path.includes('node_modules'))
    .filter((path) => THOROUGH.test(readFileSync(join(root, path), 'utf8'))),
);
const wanted = files.filter((path) => names.length === 0 || names.some((name) => path.includes(name)));
process.exitCode = runTool('vitest', ['run', '--project', 'node', '--testTimeout', '7200000', ...wanted], {
  env: { ...process.env, CREWAGENT_CRASH: 'all' },
});

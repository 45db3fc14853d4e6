/**
 * `npm start`: a whole run at once, with nothing configured: the bundled create-story-micro on a copy of the demo project,
 * driven by the built-in rehearsal. Then how to go on.
 */
import { cpSync, existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { build, cliEntry } from './build.mjs';
import { root, runNode, say, setUp } from './set-up.mjs';

setUp();
await build();
const project = join(root, 'demo-project');
// What somebody made there stays.
if (!existsSync(project)) cpSync(join(root, 'examples', 'demo-project'), project, { recursive: true });
const shown = relative(process.cwd(), project) || '.';

say('A rehearsal of the example "create-story-micro": the real engine and tools, and no model.\n');
const status = runNode([cliEntry, 'run', 'examples/create-story-micro', '--project', project, '--rehearsal']);
if (status === 0) {
  say(`
The files are in ${join(shown, 'artifacts')}. They hold placeholders, because nobody thought about them yet.

With a model of your own (anything that speaks the OpenAI API):
  npm run -s crewagent -- config add-model mine --base-url http://127.0.0.1:11434/v1 --model qwen3 --default
  npm run -s crewagent -- config set-key mine        (if it wants a key)
  npm run -s crewagent -- doctor                     tries it out
  npm run -s crewagent -- run examples/create-story-micro --project ${shown}

Or:
  npm run -s crewagent -- run examples/hello-branch --project ${shown}   asks you three questions
  npm run -s crewagent -- --help                     everything else`);
}
process.exitCode = status;

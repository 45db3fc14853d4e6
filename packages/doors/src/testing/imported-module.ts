/** A workflow of another tool, imported with the built program. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { writeTree } from '../../../core/src/testing/file-tree.ts';
import { ENTRY } from './local-server.ts';
import type { McpRig } from './mcp-rig.ts';

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

/** Imports and installs it as "yard". */
export async function importModule(rig: McpRig): Promise<void> {
  const source = join(rig.root, 'source');
  await writeTree(source, MODULE);
  const run = (...args: string[]) =>
    promisify(execFile)(process.execPath, [ENTRY, ...args], { env: rig.env });
  const out = join(rig.root, 'yard');
  await run('import', join(source, 'yard'), '-o', out);
  await run('packages', 'add', out);
}

import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { testContext as context } from '../testing/inspect.ts';
import { textReply, toolCallReply } from '../testing/models/provider-replies.ts';
import { createMcpRig } from '../testing/rigs/mcp-rig.ts';
import { tempFolder, writeTree } from '../testing/temp-folder.ts';
import { verifyPackage } from './verify-package.ts';

const GOOD = '---\nname: letter\n---\n## Write\nProduces: artifacts/letter.md\n- minWords: 5\n## Close\n';
const LAZY = 'model: lazy\nexpect: { ends: waiting, neverVisits: [close] }\n';

async function createProject(): Promise<string> {
  const project = join(await tempFolder(), 'project');
  await writeTree(project, {
    'good/method.md': GOOD,
    'good/tests/lazy.yaml': LAZY,
    'wrong/method.md': GOOD.replace('minWords', 'minWord'),
    'failing/method.md': GOOD,
    'failing/tests/one.yaml': 'expect: { path: [close] }\n',
    'untested/method.md': GOOD,
    '../outside/method.md': GOOD,
  });
  await symlink(join(project, '../outside'), join(project, 'link'));
  return project;
}

describe('a package that a step verifies', () => {
  it.each<[command: string, outcome: object | undefined]>([
    ['crewagent validate good', { exitCode: 0, output: '' }],
    ['crewagent rehearse good', { exitCode: 0, output: '' }],
    ['crewagent test good', { exitCode: 0, output: '' }],
    ['crewagent test good/method.md', { exitCode: 0, output: '' }],
    [
      'crewagent validate wrong',
      {
        exitCode: 1,
        output: expect.stringMatching(/^error method\.md:5 SCHEMA: .*"minWord"\. Did you mean/) as string,
      },
    ],
    [
      'crewagent test wrong',
      {
        exitCode: 1,
        output: expect.stringMatching(/^error method\.md:5 SCHEMA: .*"minWord"\. Did you mean/) as string,
      },
    ],
    ['crewagent test failing', { exitCode: 1, output: 'one: The run went write → close, not close.' }],
    [
      'crewagent test untested',
      { exitCode: 1, output: expect.stringContaining('There are no tests') as string },
    ],
    ['crewagent test none', { exitCode: 1, output: 'There is nothing at "none" in the project.' }],
    ['crewagent test ../outside', { reason: '"../outside" is outside of the project' }],
    ['crewagent test link', { reason: '"link" is outside of the project' }],
    // Everything else is a command for the shell.
    ['crewagent run good', undefined],
    ['crewagent test good; rm good', undefined],
    ['npm test', undefined],
  ])('%s', async (run, outcome) => {
    const projectPath = await createProject();
    const { signal } = new AbortController();
    expect(
      await verifyPackage({ run, expect: 0, timeoutSeconds: 60 }, { projectPath, context, signal }),
    ).toEqual(outcome);
  });

  it('[S57] holds the step until it is valid and its tests pass, where no commands are allowed', async () => {
    const write = (path: string, content: string) => ({ name: 'fs_write', arguments: { path, content } });
    const leave = { name: 'runtime_complete_node', arguments: { nodeId: 'draft', next: 'close' } };
    const rig = await createMcpRig(
      [
        toolCallReply([
          write('@project/artifacts/mine/method.md', GOOD.replace('## Close', '→ Clos\n## Close')),
          write('@project/artifacts/mine/tests/lazy.yaml', LAZY),
          leave,
        ]),
        toolCallReply([write('@project/artifacts/mine/method.md', GOOD), leave]),
        toolCallReply([{ name: 'runtime_complete_node', arguments: { nodeId: 'close' } }]),
        textReply('Done.'),
      ],
      {},
    );
    const author = join(await tempFolder(), 'author.md');
    await writeTree(join(author, '..'), {
      'author.md':
        '---\nname: author\n---\n## Draft\nProduces: artifacts/mine/method.md\nVerify: crewagent test artifacts/mine\n## Close\n',
    });
    const run = await rig.runtime.createWork({
      package: author,
      projectPath: rig.project,
      model: rig.model,
      approval: 'autopilot',
    });
    const refused: string[] = [];
    run.engine.subscribe((event) => {
      if (event.type === 'transition.refused') refused.push(event.message);
    });
    expect(await run.engine.start()).toEqual({ phase: 'Completed' });
    await run.close();
    expect(refused).toEqual([expect.stringContaining('UNKNOWN_NODE')]);
  });
});

import { spawnSync } from 'node:child_process';
import { chmod, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { createCliRig } from './testing/cli-rig.ts';
import { ENTRY } from './testing/running-command.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

it.skipIf(process.platform === 'win32')(
  '[O50] the script for CI shows the evidence and exits as the run does',
  async () => {
    const rig = await createCliRig();
    const [, script = ''] =
      /```sh\n(#!\/bin\/sh\n[\s\S]*?\n)```\n\n/.exec(await readFile(join(root, 'docs/ci.md'), 'utf8')) ?? [];
    const bin = await rig.write('bin', {
      crewagent: `#!/bin/sh\nexec "${process.execPath}" "${ENTRY}" "$@"\n`,
      'run-workflow.sh': script,
    });
    await chmod(join(bin, 'crewagent'), 0o755);
    const run = (summary: string, ...args: string[]) => {
      const file = join(rig.folder, summary);
      const env = { ...rig.env, PATH: `${bin}:${rig.env.PATH ?? ''}`, GITHUB_STEP_SUMMARY: file };
      const { status, stderr } = spawnSync('sh', [join(bin, 'run-workflow.sh'), ...args], {
        ...{ cwd: rig.project, env, encoding: 'utf8' as const },
      });
      return { status, stderr, summary: readFile(file, 'utf8') };
    };
    const example = join(root, 'examples/hello-branch');
    const proved = run('proved.md', example, '--input', 'Nova\nShip it\nnothing');
    expect([proved.status, proved.stderr]).toEqual([0, '']);
    expect(await proved.summary).toContain('## CrewAgent\nExit code 0');
    expect(await proved.summary).toMatch(/Intake[\s\S]*\n```\n$/);
    const events = await readFile(join(rig.project, 'crewagent-events.jsonl'), 'utf8');
    expect(JSON.parse(events.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({ phase: 'Completed' });
    const waits = run('waits.md', example);
    expect([waits.status, await waits.summary]).toEqual([3, expect.stringContaining('Exit code 3')]);
  },
);

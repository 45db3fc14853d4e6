import { spawnSync } from 'node:child_process';
import { chmod, mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod/mini';
import { createCliRig } from './testing/cli-rig.ts';
import { ENTRY } from './testing/running-command.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const page = await readFile(join(root, 'docs/ci.md'), 'utf8');
const [, script = ''] = /```sh\n(#!\/bin\/sh\n[\s\S]*?\n)```\n\n/.exec(page) ?? [];
const [actionText = '', workflowText = ''] = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].map(
  ([, text = '']) => text,
);

/** The parts of GitHub's syntax that the recipe uses, and no others. */
const texts = z.record(z.string(), z.string());
const actionSchema = z.strictObject({
  name: z.string(),
  description: z.string(),
  inputs: z.record(
    z.string(),
    z.strictObject({
      description: z.string(),
      required: z.optional(z.boolean()),
      default: z.optional(z.string()),
    }),
  ),
  runs: z.strictObject({
    using: z.literal('composite'),
    // Each needs its shell in an action.
    steps: z.array(z.strictObject({ run: z.string(), shell: z.literal('bash'), env: z.optional(texts) })),
  }),
});
/** An action of others by its commit, or one of the repository. */
const usesSchema = z.string().check(z.regex(/^(?:[\w-]+\/[\w-]+@[\da-f]{40}|\.\/[\w./-]+)$/));
const workflowSchema = z.strictObject({
  on: z.literal('workflow_dispatch'),
  permissions: z.strictObject({ contents: z.literal('read') }),
  jobs: z.record(
    z.string(),
    z.strictObject({
      'runs-on': z.string(),
      'timeout-minutes': z.number(),
      steps: z.array(
        z.strictObject({
          uses: usesSchema,
          if: z.optional(z.literal('always()')),
          with: z.optional(z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]))),
          env: z.optional(texts),
        }),
      ),
    }),
  ),
});

/** Replaces expressions, as the runner does before a step; a variable or secret that is not set is empty. */
function evaluate(values: Readonly<Record<string, string>>, known: Readonly<Record<string, string>>) {
  const toValue = (_: string, name: string): string => {
    const isUnset = /^(?:vars|secrets)\.[A-Z_]+$/.test(name);
    const value = known[name] ?? (isUnset ? '' : undefined);
    if (value === undefined) throw new Error(`there is no ${name}`);
    return value;
  };
  return Object.fromEntries(
    Object.entries(values).map(([name, text]) => [name, text.replace(/\$\{\{ (\S+) \}\}/g, toValue)]),
  );
}

it.skipIf(process.platform === 'win32')(
  '[O50] the script for CI shows the evidence and exits as the run does',
  async () => {
    const rig = await createCliRig();
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

it.skipIf(process.platform === 'win32')(
  '[O50] the action and the workflow for GitHub are valid, and their steps run a rehearsal where no model is set',
  async () => {
    const action = actionSchema.parse(parse(actionText));
    const workflow = workflowSchema.parse(parse(workflowText));
    const steps = Object.values(workflow.jobs).flatMap((job) => job.steps);
    const used = steps.find(({ uses }) => uses === './.github/actions/crewagent');
    const given = Object.entries(used?.with ?? {}).map(([name, value]) => [name, String(value)] as const);
    expect(given.filter(([name]) => !Object.hasOwn(action.inputs, name))).toEqual([]);
    const rig = await createCliRig();
    const bin = await rig.write('bin', {
      crewagent: `#!/bin/sh\nexec "${process.execPath}" "${ENTRY}" "$@"\n`,
      npm: '#!/bin/sh\necho "$@" >> npm.txt\n',
    });
    for (const name of ['crewagent', 'npm']) await chmod(join(bin, name), 0o755);
    const actionFolder = await rig.write('action', { 'run-workflow.sh': script });
    const packed = join(rig.project, given.find(([name]) => name === 'package')?.[1] ?? '');
    await mkdir(dirname(packed), { recursive: true });
    expect((await rig.run('pack', join(root, 'examples/create-story-micro'), '-o', packed)).code).toBe(0);
    const defaults = Object.entries(action.inputs).map(
      ([name, input]) => [name, input.default ?? ''] as const,
    );
    const inputs = Object.fromEntries(
      [...defaults, ...given].map(([name, value]) => [`inputs.${name}`, value] as const),
    );
    const outer = evaluate(used?.env ?? {}, { 'runner.temp': rig.folder });
    const summary = join(rig.folder, 'summary.md');
    for (const { run, env = {} } of action.runs.steps) {
      const { status, stderr } = spawnSync('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', run], {
        cwd: rig.project,
        encoding: 'utf8',
        env: {
          ...{ HOME: rig.folder, PATH: `${bin}:${process.env.PATH ?? ''}` },
          ...{ GITHUB_ACTION_PATH: actionFolder, GITHUB_STEP_SUMMARY: summary },
          ...outer,
          ...evaluate(env, inputs),
        },
      });
      expect([status, stderr], run).toEqual([0, '']);
    }
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
    expect(await readFile(join(rig.project, 'npm.txt'), 'utf8')).toContain(`crewagent@${version}`);
    expect(await readFile(summary, 'utf8')).toContain('Exit code 0');
    const uploaded = steps.find(({ uses }) => uses.startsWith('actions/upload-artifact@'))?.with?.path;
    expect(await readFile(join(rig.project, String(uploaded)), 'utf8')).toContain('"proved":true');
  },
);

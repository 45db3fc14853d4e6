import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  type ProviderScript,
  startFakeProvider,
} from '../../../packages/core/src/testing/models/fake-provider.ts';
import {
  statusReply,
  textReply,
  toolCallReply,
} from '../../../packages/core/src/testing/models/provider-replies.ts';
import { samplePackage, step, workflow } from '../../../packages/core/src/testing/packages/sample-package.ts';
import { attach, type CliRig, createCliRig, parseLines } from './testing/cli-rig.ts';
import { ROOT } from './testing/running-command.ts';

const startProvider = async (script: ProviderScript) => attach(await startFakeProvider(script));
const writeSample = (rig: CliRig): Promise<string> => rig.write('sample', samplePackage());

const EXAMPLES = [
  'hello-branch',
  'hello-branch-zh',
  'create-story-micro',
  'create-story-micro-zh',
  'multi-workflows',
  'supper-plan',
] as const;
const example = (name: string): string => join(ROOT, 'examples', name);

describe('run', () => {
  it.each(EXAMPLES)('[C10] rehearses %s to completion', async (name) => {
    const rig = await createCliRig();
    await cp(example('demo-project'), rig.project, { recursive: true });
    const inputs = Array.from({ length: 8 }, () => ['--input', 'yes']).flat();
    const { code, out, err } = await rig.run('run', example(name), '-p', 'project', '--rehearsal', ...inputs);
    expect(err).toMatch(
      /^! \d of 8 --input texts were not used: no question was left to answer, and they approve no changes\.\n$/,
    );
    expect(out).toMatch(/^✔ ".+" completed\.$/m);
    expect(code).toBe(0);
    const [, file = ''] = /^ {2}files {3}(\S+)$/m.exec(out) ?? [];
    expect(await readFile(join(rig.folder, file), 'utf8')).toContain('rehearsal');
  });

  it('[C10] accepts a file, a folder or an installed id, a workflow and an agent', async () => {
    const rig = await createCliRig();
    const packed = await rig.run('pack', example('multi-workflows'), '-o', 'm.bmad');
    expect(packed.code).toBe(0);
    for (const ref of ['m.bmad', 'multi-workflows']) {
      const { out } = await rig.run(
        'run',
        ref,
        '-p',
        'project',
        '--rehearsal',
        '--json',
        '-w',
        'hello-linear',
      );
      const [created] = parseLines(out).events;
      expect(created).toMatchObject({ type: 'run.created', workflow: { ref: 'hello-linear' } });
    }
  });

  it('[C10] copies attached files to the project and passes them to the run', async () => {
    const rig = await createCliRig();
    await writeFile(join(rig.folder, 'my brief.pdf'), 'a brief');
    const run = (file: string) =>
      rig.run('run', example('hello-branch'), '-p', 'project', '--rehearsal', '--json', '--attach', file);
    await run('my brief.pdf');
    expect(await readFile(join(rig.project, 'attachments/my brief.pdf'), 'utf8')).toBe('a brief');
    const state = await readFile(join(await rig.lastRun(), 'state/workflow.md'), 'utf8');
    expect(state).toContain('@project/attachments/my brief.pdf');
    const missing = await run('none.pdf');
    expect(missing).toMatchObject({ code: 2, out: '' });
    expect(missing.err).toMatch(/^Error: "none\.pdf" cannot be attached: .+\.\n$/);
  });

  it('[C10] passes project documents to the run', async () => {
    const rig = await createCliRig();
    await mkdir(join(rig.project, 'docs'), { recursive: true });
    await writeFile(join(rig.project, 'docs', 'epics.md'), '# Epics');
    const run = (...args: string[]) =>
      rig.run('run', example('hello-branch'), '-p', 'project', '--rehearsal', '--json', ...args);
    await run('-d', join(rig.project, 'docs/epics.md'), '--document', '@project/docs/epics.md');
    const state = await readFile(join(await rig.lastRun(), 'state/workflow.md'), 'utf8');
    expect(state).toMatch(/inputDocuments:\s*(?:\[\s*|\n\s*- )"?@project\/docs\/epics.md/);
    for (const [wrong, sentence] of [
      ['docs/none.md', /^Error: The document "@project\/docs\/none\.md" does not exist\. .+\.\n$/],
      ['../outside.md', /is not in the project folder/],
      ['/etc/passwd', /is not in the project folder/],
    ] as const) {
      const refused = await run('-d', wrong);
      expect(refused.err).toMatch(sentence);
      expect(refused).toMatchObject({ code: 2, out: '' });
    }
  });

  it('[C12] prints events and a result, without real paths', async () => {
    const rig = await createCliRig();
    const { code, out, err } = await rig.run(
      'run',
      example('hello-branch'),
      '--project=project',
      '--rehearsal',
      '--json',
      '--input',
      '{"projectName":"Nova","goal":"Ship it","existing":"nothing"}',
    );
    expect(code).toBe(0);
    expect(err).toBe('');
    const { events, result } = parseLines(out);
    expect(events[0]?.type).toBe('run.created');
    expect(events.at(-1)).toMatchObject({ type: 'phase.changed', phase: 'Completed' });
    const stored = events.filter(({ type }) => !type.endsWith('.delta'));
    expect(stored.map(({ seq }) => seq)).toEqual(stored.map((_, index) => index + 1));
    expect(result).toMatchObject({ type: 'result', phase: 'Completed', reason: null });
    expect(result.state.variables).toMatchObject({ projectName: 'Nova', workflowStatus: 'complete' });
    expect(result.state.artifacts).toContain('artifacts/hello-branch/summary.md');
    expect(out).not.toContain(rig.folder);
  });

  it('[C12] streams the reply of the model as it arrives', async () => {
    const rig = await createCliRig();
    const provider = await startProvider([textReply('How are you today?', { pieceLength: 4 })]);
    const { code, out, err } = await rig.run(
      'run',
      await writeSample(rig),
      '--project=project',
      '--json',
      ...provider.options,
    );
    expect(provider.violations).toEqual([]);
    const { events, result } = parseLines(out);
    const deltas = events.flatMap((event) => (event.type === 'message.delta' ? [event.text] : []));
    expect(deltas.join('')).toBe('How are you today?');
    expect(deltas.length).toBeGreaterThan(1);
    expect(result).toMatchObject({ phase: 'WaitingUser', reason: { code: 'reply' } });
    expect(code).toBe(3);
    expect(err).toContain(`crewagent answer ${result.runId.slice(-8)} "…"`);
  });

  it('[C13] prints the run as text', async () => {
    const rig = await createCliRig();
    const { out } = await rig.run(
      'run',
      example('hello-branch'),
      '-p',
      'project',
      '--rehearsal',
      '-i',
      'Nova',
    );
    const lines = out.split('\n');
    expect(lines).toContain('▸ 1/5 Intake');
    expect(lines).toContain('✓ Intake  wrote artifacts/hello-branch/intake.md');
    expect(out).toContain('  › Nova');
    expect(out).toMatch(/^ {2}✎ New file artifacts\/hello-branch\/intake\.md \+\d+$/m);
    expect(lines).toContain('  files   project/artifacts/hello-branch/intake.md');
    expect(out).toMatch(/^ {2}used {4}\d+ turns · [\d,]+ tokens in, [\d,]+ out · \d+ s$/m);
    expect(out).toMatch(/^ {2}see {5}crewagent show [0-9a-f]{8}$/m);
    expect(out).toMatch(/^ {2}undo {4}crewagent undo [0-9a-f]{8}$/m);
  });

  it('[C10] names declared outputs that were not written, in the summary and in the result', async () => {
    const skip = toolCallReply([
      {
        name: 'runtime_complete_node',
        arguments: { nodeId: 'step-01', next: 'end-99' },
      },
    ]);
    const notes = step('step-01', 'step', 'outputs: [artifacts/notes.md]\n');
    const start = async (...more: string[]) => {
      const provider = await startProvider([skip, skip, textReply('Which one?')]);
      const rig = await createCliRig();
      const pkg = await rig.write('sample', samplePackage(undefined, { 'steps/step-01.md': notes }));
      return rig.run('run', pkg, '-p', 'project', ...provider.options, ...more);
    };
    const text = await start();
    expect(text.out).toMatch(/^ {2}missing project\/artifacts\/notes\.md$/m);
    const { result } = parseLines((await start('--json')).out);
    expect(result).toMatchObject({ outputsMissing: ['artifacts/notes.md'] });
  });

  it('[C13] prints a retry of a provider request', async () => {
    const rig = await createCliRig();
    const provider = await startProvider([
      statusReply(503, { error: { message: 'busy' } }),
      textReply('evil \u001b[31mred\u0007'),
    ]);
    const { code, out } = await rig.run('run', await writeSample(rig), '-p', 'project', ...provider.options);
    expect(code).toBe(3);
    expect(out).toMatch(/↻ .+ Retrying in [\d.]+ s\./);
    expect(out).toContain('evil \uFFFD[31mred\uFFFD');
  });

  it('[C13] never reads standard input, and prints the next commands', async () => {
    const rig = await createCliRig();
    const { code, out } = await rig.runWith(
      'these\nare\nno\nanswers\n',
      'run',
      example('hello-branch'),
      '-p',
      'project',
      '--rehearsal',
    );
    expect(code).toBe(3);
    expect(out).toContain('? What is the project called? (projectName, text)');
    expect(out).toMatch(
      /next {4}crewagent answer [0-9a-f]{8} --set projectName=… --set goal=… --set existing=…/,
    );
  });

  it('[C1] pauses at a limit, and resume grants the same amount again', async () => {
    const rig = await createCliRig();
    const provider = await startProvider((_, index) =>
      toolCallReply([
        { id: `c${index}`, name: 'fs_list', arguments: { path: `@project`, depth: (index % 3) + 1 } },
      ]),
    );
    const started = await rig.run(
      'run',
      await writeSample(rig),
      '--project=project',
      '--max-turns=2',
      '--input=ignored',
      ...provider.options,
    );
    expect(started.code).toBe(4);
    expect(started.out).toContain('This step took 2 turns without finishing');
    expect(started.out).toMatch(/next {4}crewagent resume [0-9a-f]{8}/);
    expect(provider.requests).toHaveLength(2);
    const resumed = await rig.run('resume', 'last', '--json');
    expect(resumed.code).toBe(4);
    expect(parseLines(resumed.out).result.reason?.code).toBe('ENGINE_MAX_TURNS_EXCEEDED');
    expect(provider.requests).toHaveLength(4);
  });

  it('[T43] denies files that run later in an unattended run, except allowed ones', async () => {
    const rig = await createCliRig();
    const write = (path: string) =>
      toolCallReply([{ name: 'fs_write', arguments: { path: `@project/${path}`, content: 'x' } }]);
    const provider = await startProvider([
      write('Makefile'),
      write('.github/workflows/ci.yml'),
      textReply('Which one?'),
    ]);
    const { code } = await rig.run(
      'run',
      await writeSample(rig),
      '-p',
      'project',
      '--allow-executable',
      '.github/**',
      ...provider.options,
    );
    expect(code).toBe(3);
    expect(existsSync(join(rig.project, 'Makefile'))).toBe(false);
    expect(existsSync(join(rig.project, '.github/workflows/ci.yml'))).toBe(true);
    expect(JSON.stringify(provider.requests[1]?.body)).toContain('nobody is here to approve it');
  });

  it('[T200] denies what the author did not declare, because nobody is there', async () => {
    const rig = await createCliRig();
    const provider = await startProvider([
      toolCallReply([{ name: 'fs_write', arguments: { path: 'src/a.ts', content: 'x' } }]),
      textReply('Well.'),
    ]);
    const files = samplePackage(undefined, { 'workflow.md': workflow('writes: [artifacts/**]\n') });
    const folder = await rig.write('sample', files);
    await rig.run('run', folder, '-p', 'project', '--allow-executable', '**', ...provider.options);
    expect(existsSync(join(rig.project, 'src/a.ts'))).toBe(false);
    expect(JSON.stringify(provider.requests[1]?.body)).toContain(
      'This workflow declared that it writes only to artifacts/**. Nobody is here to approve it.',
    );
  });

  it('[T43] exits with 2 for an invalid pattern, before a run is created', async () => {
    const rig = await createCliRig();
    const { code, err } = await rig.run(
      'run',
      await writeSample(rig),
      '-p',
      'project',
      '--allow-executable',
      '{a,b',
    );
    expect(code).toBe(2);
    expect(err).toContain('--allow-executable pattern "{a,b" is not valid');
  });

  it('[N42] stops without a person if the provider asks for a long wait, and does not ask again before it is over', async () => {
    const rig = await createCliRig();
    const busy = statusReply(429, { error: { message: 'slow down' } }, { 'retry-after': '900' });
    const provider = await startProvider(() => busy);
    const pkg = await writeSample(rig);
    const { code, out } = await rig.run('run', pkg, '-p', 'project', '--json', ...provider.options);
    expect(code).toBe(4);
    const { phase, reason, runId } = JSON.parse(out.trim().split('\n').at(-1) ?? '') as {
      phase: string;
      runId: string;
      reason: { code: string; message: string; details: { until: string } };
    };
    expect([phase, reason.code]).toEqual(['WaitingUser', 'LLM_WAIT_TOO_LONG']);
    const { until } = reason.details;
    expect(reason.message).toContain(
      `It asks to wait 15 minutes. The run is paused; resume it after ${until}.`,
    );
    const waitMs = Date.parse(until) - Date.now();
    expect(waitMs).toBeGreaterThan(700_000);
    expect(waitMs).toBeLessThanOrEqual(901_000);
    // A text that answers stops is no person who waits.
    const resumed = await rig.run('resume', runId, '--input', 'go on');
    expect([resumed.code, provider.requests.length]).toEqual([4, 1]);
    expect(resumed.out).toContain(`resume it after ${until}`);
    const fresh = await rig.run(
      'run',
      pkg,
      '-p',
      'project',
      '--model',
      'other',
      ...provider.options.slice(0, 2),
    );
    expect([fresh.code, fresh.out.includes('Retrying in')]).toEqual([4, false]);
  });

  it('[C1] waits after a provider error', async () => {
    const rig = await createCliRig();
    const provider = await startProvider(() => statusReply(401, { error: { message: 'no such key' } }));
    const { code, out } = await rig.run('run', await writeSample(rig), '-p', 'project', ...provider.options);
    expect(code).toBe(3);
    expect(out).toMatch(/^… .+/m);
    expect(provider.requests).toHaveLength(1);
  });

  it('[C13] names rewind where a provider does not take the messages of a step, and the model at the end', async () => {
    const rig = await createCliRig();
    const message = 'messages.2: tool_calls must be followed by tool messages';
    const provider = await startProvider(() => statusReply(400, { error: { message } }));
    const { code, out } = await rig.run('run', await writeSample(rig), '-p', 'project', ...provider.options);
    expect(code).toBe(3);
    expect(out).toMatch(/^ {2}used .+\n {2}model {3}\S+ at http:.+$/m);
    expect(out).toMatch(/^ {2}next {4}crewagent rewind [0-9a-f]{8} {2}\(to start this step again\)$/m);
    expect(out).toMatch(/^ {10}crewagent resume [0-9a-f]{8}$/m);
  });

  it('[C13] names a rehearsal once', async () => {
    const rig = await createCliRig();
    const { out } = await rig.run('run', example('hello-branch'), '-p', 'project', '--rehearsal');
    expect(out.match(/rehearsal \(no model/g)).toHaveLength(1);
    expect(out).toMatch(/^ {2}used .+\n {2}next/m);
  });

  it('[C11] exits with 2 for an invalid answer, and the run keeps waiting', async () => {
    const rig = await createCliRig();
    const provider = await startProvider([
      toolCallReply([
        {
          name: 'ui_ask_user',
          arguments: {
            questions: [{ id: 'size', prompt: 'Which?', type: 'choice', options: ['small', 'large'] }],
          },
        },
      ]),
      textReply('Thank you.'),
    ]);
    const args = ['--project=project', '--json', ...provider.options];
    const { code, out, err } = await rig.run('run', await writeSample(rig), ...args, '--input=9');
    expect(code).toBe(2);
    expect(err).toContain('Error: The answer to "size" must be "small" or "large", or in your own words.');
    expect(parseLines(out).result).toMatchObject({ phase: 'WaitingUser', reason: { code: 'question' } });
    const again = await rig.run('answer', 'last', '2', '--json');
    expect(again.code).toBe(3);
    expect(parseLines(again.out).events).toContainEqual(
      expect.objectContaining({ type: 'question.answered', answers: { size: 'large' } }),
    );
  });
});

describe('missing inputs', () => {
  const cases: [what: string, args: string[], sentence: RegExp][] = [
    ['a package', ['nowhere.bmad'], /^Error: There is no package at "nowhere\.bmad"; check the path\.\n$/],
    [
      'an installed id',
      ['nowhere'],
      /^Error: No installed package matches "nowhere", and there is no such file or folder\. /,
    ],
    ['a workflow', [example('multi-workflows'), '-w', 'other'], /has no workflow "other"; it has .+\.\n$/],
    ['an agent', [example('hello-branch'), '-a', 'nobody'], /has no agent "nobody"; it has .+\.\n$/],
    [
      'a project',
      [example('hello-branch'), '-p', 'nowhere'],
      /There is no folder at "nowhere"\. Create it, or name another\.\n$/,
    ],
    ['a model', [example('hello-branch'), '--base-url', 'http://127.0.0.1:1/v1'], /Say which model to use/],
    [
      'an address',
      [example('hello-branch'), '--base-url', 'ftp://x', '--model', 'm'],
      /is not a valid model address/,
    ],
  ];
  it.each(cases)('[C10] reports %s in one line and creates no run', async (_, args, sentence) => {
    const rig = await createCliRig({ CREWAGENT_MODEL: undefined, CREWAGENT_BASE_URL: undefined });
    const { code, out, err } = await rig.run('run', '-p', 'project', ...args);
    expect(err).toMatch(sentence);
    expect(err.trimEnd().split('\n')).toHaveLength(1);
    expect(out).toBe('');
    expect(code).toBe(2);
    expect(existsSync(join(rig.store, 'projects'))).toBe(false);
  });

  it.each<[string, string[], RegExp]>([
    [
      'a key',
      ['--base-url', 'http://127.0.0.1:1/v1', '--model', 'm', '--api-key-env', 'NO_SUCH_KEY'],
      /^Error: The environment variable NO_SUCH_KEY, .+ is not set\.\n$/,
    ],
    ['a recording', ['--replay', 'nowhere.jsonl'], /^Error: .*nowhere\.jsonl.*\n$/],
  ])('[C10] reports %s in one line', async (_, args, sentence) => {
    const rig = await createCliRig();
    const { code, out, err } = await rig.run('run', example('hello-branch'), '-p', 'project', ...args);
    expect(err).toMatch(sentence);
    expect(out).toBe('');
    expect(code).toBe(2);
  });

  it.each([[['--max-turns', '0']], [['--approve', 'never']], [['--rehearsal', '--model', 'x']]])(
    '[C1] rejects %j as bad usage',
    async (args) => {
      const rig = await createCliRig();
      const { code, err } = await rig.run('run', example('hello-branch'), ...args);
      expect(code).toBe(2);
      expect(err).toMatch(/^error: option /);
    },
  );

  it('[C1] fails the run if the state document is damaged', async () => {
    const rig = await startedRig();
    const state = join(await rig.lastRun(), 'state/workflow.md');
    await writeFile(state, 'no frontmatter here');
    const { code, out } = await rig.run('answer', 'last', 'Nova');
    expect(code).toBe(1);
    expect(out).toMatch(/^✖ .+/m);
    expect(out).not.toMatch(/\n\s+at /);
    expect((await rig.run('runs')).out).toContain('failed: STATE_DAMAGED');
  });

  it('[C1] fails the run while its package is removed', async () => {
    const rig = await startedRig();
    expect((await rig.run('packages', 'remove', 'hello-branch', '--force')).code).toBe(0);
    const { code, out, err } = await rig.run('resume', 'last');
    expect(code).toBe(1);
    expect(out).toBe('');
    expect(err).toMatch(/^Error: .+no longer installed; add it again .+\n$/);
    expect((await rig.run('packages', 'add', example('hello-branch'))).code).toBe(0);
    expect((await rig.run('answer', 'last', 'Nova')).code).toBe(0);
  });
});

async function startedRig(): Promise<CliRig> {
  const rig = await createCliRig();
  expect((await rig.run('run', example('hello-branch'), '-p', 'project', '--rehearsal')).code).toBe(3);
  return rig;
}

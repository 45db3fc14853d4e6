import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { importReportSchema } from '@crewagent/protocol/import-report';
import { describe, expect, it, onTestFinished } from 'vitest';
import { writeTree } from '../../../packages/core/src/testing/file-tree.ts';
import { startFakeProvider } from '../../../packages/core/src/testing/models/fake-provider.ts';
import { textReply, toolCallReply } from '../../../packages/core/src/testing/models/provider-replies.ts';
import { attach, type CliRig, createCliRig } from './testing/cli-rig.ts';

const STEP = (title: string, next?: string): string =>
  `# ${title}\n\nCount what you see.\n${next === undefined ? '' : `\n- IF C: Read fully and follow: ./${next}\n`}`;
const SOURCE = {
  'module.yaml': 'code: birds\n',
  LICENSE: 'MIT\n',
  'workflows/count/workflow.md': '# Count birds\n\nFollow steps/step-01-look.md\n',
  'workflows/count/steps/step-01-look.md': STEP('Look', 'step-02-write.md'),
  'workflows/count/steps/step-02-write.md': STEP('Write the numbers'),
};
const NEXT = 'workflows/count/steps/';

/** A newer source: the second step is split in two, the first one has another text. */
async function change(folder: string): Promise<void> {
  await rm(join(folder, NEXT, 'step-02-write.md'));
  await writeTree(folder, {
    [`${NEXT}step-01-look.md`]: STEP('Look closely', 'step-02-sort.md').replace('what you see', 'every bird'),
    [`${NEXT}step-02-sort.md`]: STEP('Sort them', 'step-03-sum.md'),
    [`${NEXT}step-03-sum.md`]: STEP('Sum up'),
  });
}

async function setUp(): Promise<CliRig & { source: string }> {
  const rig = await createCliRig();
  return { ...rig, source: await rig.write('source', SOURCE) };
}

function createGit(folder: string) {
  return (...args: string[]): string =>
    execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.org', ...args], {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
}

describe('crewagent import --update', () => {
  it('[Z50] follows the source of an import and says in words what changed', async () => {
    const rig = await setUp();
    await rig.run('import', 'source', '--no-rehearse');
    await change(rig.source);
    const { code, out } = await rig.run('import', '--update', 'birds', '--no-rehearse');
    expect(out).toContain(
      [
        'Changed 0.1.0 → 0.1.1',
        '  - count: Steps added: step-02-sort, step-03-sum.',
        '  - count: Step removed: step-02-write.',
        '  - count: Step changed: step-01-look.',
        '  - count: Edges added: step-01-look → step-02-sort (C), step-02-sort → step-03-sum (C).',
        '  - count: Edge removed: step-01-look → step-02-write (C).',
      ].join('\n'),
    );
    expect(code).toBe(0);
    const report = importReportSchema.parse(
      JSON.parse(await readFile(join(rig.folder, 'birds/import-report.json'), 'utf8')),
    );
    expect(report.changes?.workflows.changed[0]?.nodes.removed).toEqual(['step-02-write']);
    expect(JSON.stringify(report)).not.toContain(rig.folder);
    const page = await readFile(join(rig.folder, 'birds/import-report.md'), 'utf8');
    expect(page).toContain('## Changed by the last update');
    const again = await rig.run('import', '--update', 'birds', '--no-rehearse');
    expect(again.out).not.toContain('Changed');
  });

  it('[Z50] lists unfinished runs that are at a step the new version does not have', async () => {
    const rig = await setUp();
    await rig.run('import', 'source', '--no-rehearse');
    const provider = attach(
      await startFakeProvider([
        toolCallReply([
          { name: 'runtime_complete_node', arguments: { nodeId: 'step-01-look', next: 'step-02-write' } },
        ]),
        textReply('What now?'),
      ]),
    );
    await rig.run('run', 'birds', '-p', 'project', '-i', 'Go', ...provider.options);
    const [run] = JSON.parse((await rig.run('runs', '--json')).out) as { runId: string }[];
    await change(rig.source);
    const { out } = await rig.run('import', '--update', 'birds', '--no-rehearse', '--json');
    const { works } = JSON.parse(out) as { works: unknown };
    expect(works).toEqual([
      {
        workId: run?.runId,
        version: '0.1.0',
        workflow: 'count',
        nodeId: 'step-02-write',
        finding: 'step-removed',
      },
    ]);
  });

  it('[Z50] keeps edits, names conflicts, and takes another source that is given', async () => {
    const rig = await setUp();
    await rig.run('import', 'source', '--no-rehearse');
    const step = join(rig.folder, 'birds/workflows/count/steps/step-01-look.md');
    await writeFile(step, (await readFile(step, 'utf8')).replace('what you see', 'what I see'));
    const newer = await rig.write('newer', SOURCE);
    await change(newer);
    const { out } = await rig.run('import', '--update', 'birds', 'newer', '--no-rehearse');
    expect(out).toContain('your version was kept: workflows/count/steps/step-01-look.md');
    expect(await readFile(step, 'utf8')).toContain('what I see');
  });

  it('[Z50] rejects a folder that is no import, a missing source, and -o with it', async () => {
    const rig = await setUp();
    await rig.write('mine', { 'a.txt': 'x' });
    for (const [args, message] of [
      [['--update', 'mine', 'source'], 'is not a folder that "crewagent import" wrote'],
      [['--update', 'mine'], 'It is not known where "mine" came from'],
      [['--update', 'mine', 'source', '-o', 'x'], 'Use either --update or -o'],
      [['--update', 'nothing'], 'No installed package matches "nothing"'],
      [[], 'Give a source to import'],
      [['source', 'newer'], 'Give one source only'],
    ] as const) {
      const { code, err } = await rig.run('import', ...args);
      expect(err).toContain(message);
      expect(code).toBe(2);
    }
  });
});

describe('crewagent import git', () => {
  it('[Z2] fetches a tag with git, records it, and leaves nothing behind', async () => {
    const rig = await setUp();
    const git = createGit(rig.source);
    git('init', '--quiet', '--initial-branch=main');
    git('add', '--all');
    git('commit', '--quiet', '-m', 'x');
    git('tag', 'v2.0.0');
    const { code, out } = await rig.run(
      'import',
      'git',
      `file://${rig.source}#v2.0.0`,
      '--no-rehearse',
      '--json',
    );
    expect(code).toBe(0);
    const report = importReportSchema.parse((JSON.parse(out) as { report: unknown }).report);
    expect(report.source.name).toBe('source');
    expect(report.source.git).toMatchObject({ url: `file://${rig.source}`, ref: 'v2.0.0' });
    expect(await readFile(join(rig.folder, 'birds/bmad.json'), 'utf8')).toContain('"version": "2.0.0"');
    expect(await readdir(join(rig.store, 'packages'))).toEqual([]);
    const wrong = await rig.run('import', 'git', `file://${rig.source}#v3`, '-o', 'other');
    expect(wrong.err).toContain('has no tag, branch or commit "v3"');
    expect(wrong.code).toBe(2);
    const hostile = await rig.run('import', 'git', 'ext::sh -c id');
    expect(hostile.err).toContain('is not accepted');
  });

  it('[Z2] Ctrl-C ends git and deletes what it fetched', async () => {
    const rig = await createCliRig();
    // A server that says nothing.
    const server = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    const connected = once(server, 'connection');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const running = rig.start('import', 'git', `git://127.0.0.1:${port}/tools.git`);
    const [socket] = (await connected) as [Socket];
    const closed = once(socket.resume(), 'close');
    running.kill('SIGINT');
    const { code, err } = await running.ended;
    expect([code, err]).toEqual([130, 'Stopped; nothing was imported.\n']);
    await closed;
    expect(await readdir(join(rig.store, 'packages'))).toEqual([]);
  });
});

describe('crewagent packages outdated and upgrade', () => {
  it('[Z50] finds a newer tag, updates the folder of the import and installs it beside the old version', async () => {
    const rig = await setUp();
    const git = createGit(rig.source);
    git('init', '--quiet', '--initial-branch=main');
    git('add', '--all');
    git('commit', '--quiet', '-m', 'x');
    git('tag', 'v1.0.0');
    await rig.run('import', 'git', `file://${rig.source}#v1.0.0`, '--no-rehearse');
    await rig.run('packages', 'add', 'birds');
    const current = await rig.run('packages', 'outdated');
    expect([current.code, current.out]).toEqual([0, 'All packages with a known source are up to date.\n']);
    await change(rig.source);
    git('add', '--all');
    git('commit', '--quiet', '-m', 'y');
    git('tag', 'v1.1.0');
    const { code, out } = await rig.run('packages', 'outdated');
    expect(out).toMatch(/birds +1\.0\.0 +1\.1\.0 +file:/);
    expect(code).toBe(1);
    const upgraded = await rig.run('packages', 'upgrade', 'birds');
    expect(upgraded.out).toContain('✔ birds 1.1.0 is installed');
    expect(upgraded.out).toContain('count: Steps added: step-02-sort, step-03-sum.');
    expect(upgraded.code).toBe(0);
    const versions = JSON.parse((await rig.run('packages', 'list', '--json')).out) as { version: string }[];
    expect(versions.map(({ version }) => version).sort()).toEqual(['1.0.0', '1.1.0']);
    expect((await rig.run('packages', 'outdated', '--json')).out).toBe('[]\n');
  });

  it('[Z50] follows a file and a folder, and says why a source cannot be read', async () => {
    const rig = await createCliRig();
    await rig.run('new', 'tale');
    await rig.run('pack', 'tale', '-o', 'tale.bmad');
    await rig.run('packages', 'add', 'tale.bmad');
    expect((await rig.run('packages', 'outdated')).code).toBe(0);
    const workflow = join(rig.folder, 'tale/workflow.md');
    await writeFile(workflow, `${await readFile(workflow, 'utf8')}\nMore.\n`);
    await rig.run('pack', 'tale', '-o', 'tale.bmad');
    expect((await rig.run('packages', 'outdated')).out).toMatch(
      /^tale +0\.1\.0 +0\.1\.0, changed content [0-9a-f]{12} +.*tale\.bmad$/m,
    );
    const manifest = join(rig.folder, 'tale/bmad.json');
    const text = await readFile(manifest, 'utf8');
    await writeFile(manifest, text.replace(/"version": "[^"]+"/, '"version": "3.0.0"'));
    await rig.run('pack', 'tale', '-o', 'tale.bmad');
    const listed: unknown = JSON.parse((await rig.run('packages', 'outdated', '--json')).out);
    expect(listed).toEqual([
      expect.objectContaining({ name: 'tale', available: '3.0.0', status: 'outdated' }),
    ]);
    expect((await rig.run('packages', 'upgrade')).out).toContain('✔ tale 3.0.0 is installed');
    await rm(join(rig.folder, 'tale.bmad'));
    const gone = await rig.run('packages', 'outdated');
    expect(gone.out).toContain('not reachable');
    expect(gone.code).toBe(1);
    const missing = await rig.run('packages', 'upgrade', 'nothing');
    expect(missing.err).toContain('No package "nothing" is installed');
    expect(missing.code).toBe(2);
  });

  it('[Z50] installs nothing if a person edited the lines that the source changed', async () => {
    const rig = await setUp();
    await rig.run('import', 'source', '--no-rehearse');
    const step = join(rig.folder, 'birds/workflows/count/steps/step-01-look.md');
    await writeFile(step, (await readFile(step, 'utf8')).replace('what you see', 'what I see'));
    await rig.run('packages', 'add', 'birds');
    await change(rig.source);
    const { code, err } = await rig.run('packages', 'upgrade', 'birds');
    expect(err).toContain('your version of one file was kept');
    expect(code).toBe(1);
    expect(JSON.parse((await rig.run('packages', 'list', '--json')).out)).toHaveLength(1);
  });
});

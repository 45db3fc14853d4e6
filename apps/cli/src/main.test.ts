import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { validationReportSchema } from '@crewagent/protocol/diagnostics';
import { installedPackageSchema } from '@crewagent/protocol/installed-package';
import { VERSION } from '@crewagent/protocol/version';
import * as z from '@crewagent/protocol/zod';
import { describe, expect, it } from 'vitest';
import { createCliRig } from './testing/cli-rig.ts';
import {
  type CommandSetting,
  ENTRY,
  type Outcome,
  ROOT,
  spawnCommand,
  startCommand,
} from './testing/running-command.ts';
import { tempDir } from './testing/temp-dir.ts';

const example = join(ROOT, 'examples/hello-branch');

function toSetting({ cwd, env }: { cwd?: string; env?: NodeJS.ProcessEnv }): CommandSetting {
  return {
    cwd: cwd ?? ROOT,
    env: {
      ...process.env,
      CREWAGENT_HOME: join(cwd ?? tempDir(), 'store'),
      FORCE_COLOR: undefined,
      ...env,
    },
  };
}

function crewagent(
  args: readonly string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<Outcome> {
  return startCommand(args, toSetting(options)).ended;
}

describe('versions and help', () => {
  it('[C1] --version prints the version of every manifest and exits with 0', async () => {
    const printed = { code: 0, out: `${VERSION}\n`, err: '' };
    expect(await spawnCommand(['--version'], toSetting({})).ended).toEqual(printed);
    expect(await crewagent(['--version'])).toEqual(printed);
    for (const folder of ['', 'packages/protocol', 'packages/core', 'apps/cli']) {
      const manifest = JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8')) as {
        version: string;
      };
      expect(manifest.version).toBe(VERSION);
    }
  });

  it.each([
    [],
    ['--help'],
    ['validate', '--help'],
    ['pack', '-h'],
    ['new', '--help'],
    ['packages', '--help'],
    ['help', 'pack'],
    ...['run', 'resume', 'answer', 'approve', 'stop', 'runs', 'show', 'undo', 'config', 'doctor'].map(
      (name) => [name, '--help'],
    ),
    ['config', 'add-model', '--help'],
  ])('[C1] prints help for %j %j', async (...args) => {
    const { code, out, err } = await crewagent(args);
    expect(code).toBe(0);
    expect(out).toContain('Usage: crewagent');
    expect(err).toBe('');
  });

  it('[C1] help of a subcommand is that of its option --help', async () => {
    const { code, out } = await crewagent(['help', 'packages', 'add']);
    expect(code).toBe(0);
    expect(out).toContain('Usage: crewagent packages add');
    expect(out).toBe((await crewagent(['packages', 'add', '--help'])).out);
  });

  it.each([[['help', 'validat']], [['validat', '--help']]])(
    '[C1] has no help for a command that does not exist: %j',
    async (args) => {
      const { code, out, err } = await crewagent(args);
      expect(code).toBe(2);
      expect(out).toBe('');
      expect(err).toMatch(/^error: unknown command 'validat'\n\(Did you mean validate\?\)/);
    },
  );

  it('[C1] lists the commands that run workflows first', async () => {
    const { out } = await crewagent(['--help']);
    expect(out).toMatch(/Run workflows:\n {2}run <package> /);
    expect(out).not.toContain('\nCommands:');
    expect((await crewagent(['packages', '--help'])).out).not.toContain('Set up:');
  });

  it('[C1] suggests a similar command', async () => {
    const { code, err } = await crewagent(['validat', example]);
    expect(code).toBe(2);
    expect(err).toContain('Did you mean validate?');
  });

  it.each([
    [['validate']],
    [['validate', example, '--jsn']],
    [['pack']],
    [['packages', 'remove']],
    [['packages', 'frob']],
    [['run']],
    [['config', 'set', 'limits.maxTurns']],
  ])('[C1] rejects %j as bad usage', async (args) => {
    const { code, err } = await crewagent(args);
    expect(code).toBe(2);
    expect(err).toMatch(/^error: /);
    expect(err).not.toContain(' at ');
  });
});

describe('bad input', () => {
  // Node's own creation of folders never returns there, and hears no signal.
  it.runIf(process.platform === 'linux').each([
    { args: ['new', '/proc/crewagent'], said: 'Could not create a package in "/proc/crewagent"' },
    {
      args: ['serve', '--no-open'],
      home: '/proc/crewagent',
      said: 'Could not open the store "/proc/crewagent"',
    },
  ])('[C1] a folder that the system does not create is one line: $args', async ({ args, home, said }) => {
    const rig = await createCliRig(home === undefined ? {} : { CREWAGENT_HOME: home });
    const { code, err } = await rig.spawn(...args).ended;
    expect(code).toBe(2);
    expect(err).toMatch(/^Error: .*\n$/);
    expect(err).toContain(said);
  });

  const dir = (name: string, content: string | Buffer): string => {
    const path = join(tempDir(), name);
    writeFileSync(path, content);
    return path;
  };
  const newer = (): string => {
    const folder = tempDir();
    writeFileSync(join(folder, 'bmad.json'), '{"schemaVersion":"1.3","name":"x"}');
    return folder;
  };
  const classic = (): string => {
    const folder = tempDir();
    writeFileSync(join(folder, 'workflow.yaml'), 'name: x');
    return folder;
  };
  const cases: [what: string, path: () => string, sentence: RegExp][] = [
    ['a missing file', () => join(tempDir(), 'none.bmad'), /There is no such file or folder\./],
    ['a folder without bmad.json', tempDir, /There is no bmad\.json, so this is not a \.bmad package\./],
    [
      'a PDF named .bmad',
      () => dir('x.bmad', '%PDF-1.4'),
      /This is not a \.bmad package: it looks like a PDF document\./,
    ],
    ['a newer format', newer, /written for package format 1\.3; this runtime reads formats 1\.1 and 1\.2\./],
    [
      'classic BMAD',
      classic,
      /This is a classic BMAD workflow \(workflow\.yaml and instructions\), not a \.bmad package of format 1\.1\./,
    ],
  ];
  for (const [what, path, sentence] of cases) {
    it(`[C1] ${what}: one line and exit code 2, for validate, add and pack`, async () => {
      const target = path();
      for (const command of [['validate'], ['packages', 'add'], ['pack']]) {
        const { code, out, err } = await crewagent([...command, target]);
        expect(code).toBe(2);
        expect(out + err).toMatch(sentence);
        expect((out + err).match(/error {3}/g)).toHaveLength(1);
        expect(out + err).not.toMatch(/\n\s+at /);
      }
    });
  }
});

describe('validate', () => {
  it('[C12] prints one line of JSON per path and nothing else', async () => {
    const { code, out, err } = await crewagent(['validate', '--json', example, 'nowhere.bmad']);
    expect(code).toBe(2);
    expect(err).toBe('');
    const reports = out
      .trimEnd()
      .split('\n')
      .map((line) => validationReportSchema.parse(JSON.parse(line)));
    expect(reports.map(({ ok, path, errors }) => [ok, path, errors.map(({ code: name }) => name)])).toEqual([
      [true, example, []],
      [false, 'nowhere.bmad', ['NOT_FOUND']],
    ]);
  });

  it('[C12] exits with 0 when there are only warnings', async () => {
    const folder = join(tempDir(), 'p');
    await crewagent(['new', folder]);
    const manifest = join(folder, 'bmad.json');
    writeFileSync(
      manifest,
      readFileSync(manifest, 'utf8').replace(
        '"entry"',
        `"integrity": {"sha256": "${'0'.repeat(64)}"}, "entry"`,
      ),
    );
    const { code, out } = await crewagent(['validate', folder]);
    expect(code).toBe(0);
    expect(out).toContain('valid: 0 errors, 1 warning');
  });

  it('[C4] prints untrusted text without control characters', async () => {
    const folder = join(tempDir(), 'p');
    await crewagent(['new', folder, '--name', 'evil\u001b[31m\u202ename']);
    const { code, out } = await crewagent(['validate', folder]);
    expect(code).toBe(0);
    expect(out).toContain('evil\uFFFD[31m\uFFFDname');
    const agents = join(folder, 'agents.json');
    writeFileSync(
      agents,
      readFileSync(agents, 'utf8').replace('"metadata"', '"\\u001b]0;pwned\\u0007": 1, "metadata"'),
    );
    const refused = await crewagent(['validate', folder]);
    expect(refused.code).toBe(2);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters must not appear
    expect(refused.out).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
  });

  it('[C4] removes control characters from errors that name a package', async () => {
    const cwd = tempDir();
    for (const version of ['1.0.0', '2.0.0']) {
      await crewagent(['new', version, '--name', 'evil\u001b]0;x\u0007'], { cwd });
      const manifest = join(cwd, version, 'bmad.json');
      writeFileSync(manifest, readFileSync(manifest, 'utf8').replace('0.1.0', version));
      expect(await crewagent(['packages', 'add', version], { cwd })).toMatchObject({ code: 0 });
    }
    const { code, err } = await crewagent(['packages', 'remove', 'evil\u001b]0;x\u0007'], { cwd });
    expect(code).toBe(2);
    expect(err).toContain('matches 2 installed packages');
    expect(err).not.toContain('\u001b');
  });

  it.each([`validate "${example}"`, '--help'])(
    '[C1] %s exits with 1 and one line when the disk is full',
    (args) => {
      if (!existsSync('/dev/full')) return;
      const { status, stderr } = spawnSync(
        'bash',
        ['--norc', '-c', `"${process.execPath}" "${ENTRY}" ${args} > /dev/full`],
        { encoding: 'utf8' },
      );
      expect(status).toBe(1);
      expect(stderr).toBe('Error: the output could not be written (ENOSPC).\n');
    },
  );

  it('[C4] prints colours only on request or on a terminal', async () => {
    expect((await crewagent(['validate', example])).out).not.toContain('\u001b[');
    expect((await crewagent(['validate', example], { env: { FORCE_COLOR: '1' } })).out).toContain('\u001b[');
    expect(
      (await crewagent(['validate', example], { env: { FORCE_COLOR: '1', NO_COLOR: '1' } })).out,
    ).not.toContain('\u001b[');
  });

  it('[C1] treats an early closed pipe as no error', () => {
    const command = `"${process.execPath}" "${ENTRY}" validate ${Array.from({ length: 40 }, () => example).join(' ')} | head -n 1; echo "\${PIPESTATUS[0]}"`;
    const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', command], { encoding: 'utf8' });
    expect(stdout.split('\n')[1]).toBe('0');
    expect(stderr).toBe('');
  });
});

describe('package commands', () => {
  it('[B80] list says which package is damaged, a run of it does not start, and adding it again repairs it', async () => {
    const rig = await createCliRig();
    await rig.run('packages', 'add', example);
    const [{ hash = '' } = {}] = JSON.parse((await rig.run('packages', 'list', '--json')).out) as {
      hash?: string;
    }[];
    const file = join(rig.store, 'packages', hash, 'bmad.json');
    chmodSync(file, 0o600);
    appendFileSync(file, ' ');
    expect((await rig.run('packages', 'list')).out).toContain('damaged: reinstall it');
    rmSync(join(rig.store, 'cache'), { recursive: true });
    const started = await rig.run('run', hash, '-p', 'project', '--rehearsal');
    expect(started).toMatchObject({
      code: 2,
      err: expect.stringContaining('This package is damaged: reinstall it.') as string,
    });
    expect((await rig.run('packages', 'add', example)).out).toContain('is installed');
    expect((await rig.run('packages', 'list')).out).not.toContain('damaged');
  });

  it('new, validate, pack, add, list, remove', async () => {
    const cwd = tempDir();
    const run = (...args: string[]): Promise<Outcome> => crewagent(args, { cwd });
    expect((await run('packages', 'list')).out).toContain('No packages are installed');
    expect((await run('new', 'my package')).out).toContain('crewagent validate "my package"');
    expect(await run('validate', 'my package')).toMatchObject({ code: 0 });
    const packed = await run('pack', 'my package', '--json');
    expect(packed.code).toBe(0);
    const { file, sha256 } = JSON.parse(packed.out) as { file: string; sha256: string };
    expect(file).toBe('my-package-0.1.0.bmad');
    expect((await run('packages', 'add', file)).out).toMatch(/my package 0\.1\.0 is installed/);
    expect((await run('packages', 'add', 'my package')).out).toMatch(/was already installed/);
    const listed = z
      .array(installedPackageSchema)
      .parse(JSON.parse((await run('packages', 'list', '--json')).out));
    expect(listed.map(({ hash, name }) => [hash, name])).toEqual([[sha256, 'my package']]);
    expect(await run('packages', 'remove', sha256.slice(0, 12))).toMatchObject({ code: 0 });
    expect(await run('packages', 'remove', 'my package')).toMatchObject({
      code: 2,
      err: expect.stringContaining('No installed package matches') as string,
    });
    expect(await run('new', 'my package')).toMatchObject({
      code: 2,
      err: expect.stringContaining('is not empty') as string,
    });
  });

  it('installs the other packages if one is invalid', async () => {
    const cwd = tempDir();
    const { code, out, err } = await crewagent(['packages', 'add', 'nowhere', example], { cwd });
    expect(code).toBe(2);
    expect(out).toContain('hello-branch 1.0.0 is installed');
    expect(err).toContain('There is no file or folder "nowhere"');
  });

  it('replaces characters of a package name that a file name may not contain', async () => {
    const cwd = tempDir();
    await crewagent(['new', 'p', '--name', '../../etc/故事 包?'], { cwd });
    expect(await crewagent(['pack', 'p'], { cwd })).toMatchObject({ code: 0 });
    expect(existsSync(join(cwd, 'etc-故事-包-0.1.0.bmad'))).toBe(true);
  });

  it('stores everything under CREWAGENT_HOME', async () => {
    const cwd = tempDir();
    const home = join(cwd, 'elsewhere');
    mkdirSync(join(cwd, 'user'));
    const env = { CREWAGENT_HOME: home, HOME: join(cwd, 'user'), XDG_DATA_HOME: join(cwd, 'user') };
    const added = spawnCommand(['packages', 'add', example], toSetting({ cwd, env }));
    expect(await added.ended).toMatchObject({ code: 0 });
    expect(existsSync(join(home, 'packages'))).toBe(true);
    expect(existsSync(join(cwd, 'user', 'crewagent'))).toBe(false);
  });
});

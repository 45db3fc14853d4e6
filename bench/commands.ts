/**
 * A command in a project of 50,000 files against a bare bubblewrap, and committing what a command wrote.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { shellSettingsSchema } from '@crewagent/protocol/shell';
import { createShellTools } from '../packages/core/src/shell/shell-tools.ts';
import { openProgramParts } from '../packages/core/src/testing/rigs/program-parts.ts';
import { atMost, compare, inFolder, type Row } from './measure.ts';

const FOLDERS = 500;
const FILES_EACH = 100;
const WRITTEN = 2_000;

export async function benchCommands(): Promise<Row[]> {
  const project = makeProject(join(tmpdir(), `crewagent-bench-commands-${FOLDERS}-${FILES_EACH}`));
  return inFolder(async (work) => {
    const run = await createRunner(project, work);
    await run('true');
    const { ours, baseline } = await compare(15, () => run('true'), bareBubblewrap);
    const script = `rm -rf out; mkdir out; i=0; while [ $i -lt ${WRITTEN} ]; do echo $i > out/$i; i=$((i+1)); done`;
    const written = await compare(
      1,
      () => run(script),
      () => Promise.resolve(),
    );
    rmSync(join(project, 'out'), { recursive: true, force: true });
    return [
      atMost('shell.run of true in 50,000 files, above the bare bubblewrap', ours - baseline, 150),
      atMost('a command that writes 2,000 files, recorded for undo', written.ours, 10_000),
    ];
  });
}

async function createRunner(project: string, work: string): Promise<(command: string) => Promise<void>> {
  const { source } = createShellTools({
    ...(await openProgramParts(project, work)),
    toolTimeoutMs: 60_000,
    readSettings: async () => shellSettingsSchema.parse({ enabled: true }),
  });
  const { signal } = new AbortController();
  await source.prepare?.([], signal);
  return async (command) => {
    const call = { name: 'shell.run', arguments: { command } };
    const answer = await source.run(call, { callId: 'c', name: 'shell.run', signal });
    if (answer.kind !== 'result' || !answer.result.ok) throw new Error(JSON.stringify(answer));
  };
}

async function bareBubblewrap(): Promise<void> {
  const args = '--unshare-all --die-with-parent --ro-bind / / --proc /proc --dev /dev'.split(' ');
  const child = spawn('/usr/bin/bwrap', [...args, '--', '/bin/sh', '-c', 'true'], { stdio: 'ignore' });
  await once(child, 'close');
}

function makeProject(folder: string): string {
  if (existsSync(folder)) return folder;
  const staging = `${folder}-staging`;
  rmSync(staging, { recursive: true, force: true });
  for (let index = 0; index < FOLDERS; index++) {
    const inner = join(staging, index % 2 ? 'node_modules' : 'src', `package-${index}`, 'lib');
    mkdirSync(inner, { recursive: true });
    for (let file = 0; file < FILES_EACH; file++) writeFileSync(join(inner, `module-${file}.js`), 'x');
  }
  writeFileSync(join(staging, '.env'), 'TOKEN=1');
  renameSync(staging, folder);
  return folder;
}

import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startFakeProvider } from '../../../packages/core/src/testing/models/fake-provider.ts';
import { textReply } from '../../../packages/core/src/testing/models/provider-replies.ts';
import { attach, type CliRig, createCliRig } from './testing/cli-rig.ts';
import { type Outcome, ROOT } from './testing/running-command.ts';

const hello = join(ROOT, 'examples/hello-branch');

describe('a command in this process', () => {
  it('[C1] prints the same bytes and has the same exit code as the built program', async () => {
    const here = await createCliRig();
    const apart = await createCliRig();
    for (const args of [
      ['--help'],
      ['validate', hello, 'nowhere.bmad'],
      ['run', hello, '-p', 'project', '--rehearsal', '--json', '-i', '{"projectName":"Nova"}'],
      ['runs'],
      ['resume', 'nobody'],
    ]) {
      const outcome = toComparable(await here.run(...args), here);
      expect(outcome).toEqual(toComparable(await apart.spawn(...args).ended, apart));
      expect(outcome.out + outcome.err).not.toBe('');
    }
  });

  it('[C1] leaves no open handles', async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error): unknown => warnings.push(warning);
    process.on('warning', onWarning);
    onTestFinished(() => {
      process.off('warning', onWarning);
    });
    const rig = await createCliRig();
    const provider = attach(await startFakeProvider(() => textReply('Hello?')));
    const before = openResources();
    for (let round = 0; round < 12; round++) await rig.run('validate', hello);
    await rig.run('run', hello, '-p', 'project', ...provider.options);
    await rig.run('chat', '-p', 'project', ...provider.options, '-i', 'Hello');
    await rig.run('doctor', ...provider.options);
    const server = rig.start('serve', '--no-open');
    await server.printed('#token=');
    server.kill('SIGINT');
    expect(await server.ended).toMatchObject({ code: 0 });
    // The other end of a connection may close slightly later.
    await expect.poll(openResources, { timeout: 20_000 }).toEqual(before);
    expect(warnings).toEqual([]);
  });
});

/** Replaces values that differ each time: folder, ids, hashes and times. */
function toComparable({ code, out, err }: Outcome, rig: CliRig): Outcome {
  const strip = (text: string): string =>
    text
      .replaceAll(rig.folder, 'FOLDER')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
      .replaceAll(/"(\w*[mM]s)":[\d.]+/g, '"$1":0')
      .replaceAll(/\b[0-9a-f]{8}[0-9a-f-]{28}\b|\b[0-9a-f]{64}\b|^[0-9a-f]{8}\b/gm, 'ID');
  return { code, out: strip(out), err: strip(err) };
}

function openResources(): readonly string[] {
  return process
    .getActiveResourcesInfo()
    .filter((kind) => /^(?:FSEvent|Stat|TCP|Process|Worker|MessagePort)/.test(kind))
    .sort();
}

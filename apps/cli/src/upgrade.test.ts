import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startFakeProvider } from '../../../packages/core/src/testing/models/fake-provider.ts';
import { textReply, toolCallReply } from '../../../packages/core/src/testing/models/provider-replies.ts';
import { branchingPackage } from '../../../packages/core/src/testing/packages/branching-package.ts';
import { attach, createCliRig } from './testing/cli-rig.ts';

/** A run of version 1 that wrote a file in step-01 and waits in decide-02. */
async function setUp() {
  const rig = await createCliRig();
  const provider = attach(
    await startFakeProvider([
      toolCallReply([{ name: 'fs_write', arguments: { path: 'artifacts/goals.md', content: 'Goals' } }]),
      toolCallReply([
        {
          name: 'runtime_complete_node',
          arguments: { nodeId: 'step-01', next: 'decide-02', variables: { mark: 'k' } },
        },
      ]),
      textReply('Which way?'),
      textReply('Again: which way?'),
    ]),
  );
  const files = branchingPackage();
  const folder = await rig.write('tale', files);
  await rig.run('run', folder, '-p', 'project', ...provider.options);
  const manifest = String(files['bmad.json']);
  const release = async (version: string, changes: Readonly<Record<string, string>> = {}) => {
    const next = await rig.write(`tale-${version}`, {
      ...(files as Record<string, string>),
      'bmad.json': manifest.replace(/"version": ?"[^"]+"/, `"version": "${version}"`),
      ...changes,
    });
    expect((await rig.run('packages', 'add', next)).code).toBe(0);
  };
  return { ...rig, files: files as Record<string, string>, provider, release };
}

describe('crewagent upgrade', () => {
  it('[S16] moves a run to the newest version; an unchanged step continues', async () => {
    const rig = await setUp();
    await rig.release('8.0.0', { 'steps/step-01.md': `${rig.files['steps/step-01.md']}\nAsk twice.\n` });
    const asked = await rig.run('upgrade', 'last');
    expect(asked.err).toContain('Confirm with --yes.');
    expect(asked.code).toBe(2);
    const { code, out } = await rig.run('upgrade', 'last', '--yes');
    expect(out).toContain('Step changed: step-01.');
    expect(out).toContain('The run continues in decide-02, which is unchanged.');
    expect(out).toContain('Written by steps that changed; check them: artifacts/goals.md.');
    expect(code).toBe(0);
    expect((await rig.run('show', 'last', '--json')).out).toContain('8.0.0');
    expect((await rig.run('show', 'last', '--log')).out).toMatch(
      /run\.upgraded.* → 8\.0\.0 · artifacts\/goals\.md/,
    );
    expect((await rig.run('show', 'last', '--evidence')).out).toContain('The step changed since');
    expect((await rig.run('upgrade', 'last', '--yes')).out).toContain('has version 8.0.0 already');
    await rig.run('resume', 'last', '-i', 'Left', ...rig.provider.options);
    expect(rig.provider.requests).toHaveLength(4);
  });

  it('[S16] starts a step again that changed, with its new text and new variables', async () => {
    const rig = await setUp();
    await rig.release('8.0.0', {
      'steps/decide-02.md': `${rig.files['steps/decide-02.md']}\nThink of the weather, {mood}.\n`,
      'workflow.md': String(rig.files['workflow.md']).replace('variables: {}', 'variables: {mood: calm}'),
    });
    const { out } = await rig.run('upgrade', 'last', '--yes', '--json');
    expect(JSON.parse(out)).toMatchObject({
      ok: true,
      isMoved: true,
      to: '8.0.0',
      nodeId: 'decide-02',
      target: 'decide-02',
    });
    await rig.run('resume', 'last', ...rig.provider.options);
    const request = JSON.stringify(rig.provider.requests.at(-1)?.body);
    expect(request).toContain('Think of the weather');
    expect(request).toContain('calm');
  });

  it('[S16] needs a step to continue at if the new version does not have the current one', async () => {
    const rig = await setUp();
    const rename = (text: string): string => text.replaceAll('decide-02', 'ponder-02');
    const renamed = Object.fromEntries(
      Object.entries(rig.files).map(([path, text]) => [rename(path), rename(String(text))]),
    );
    await rig.release('8.0.0', renamed);
    await writeFile(
      join(rig.folder, 'tale-8.0.0/steps/ponder-02.md'),
      rename(String(rig.files['steps/decide-02.md'])).replace(
        /\n---\n[\s\S]*$/,
        '\n---\nQuite another text.\n',
      ),
    );
    const manifest = join(rig.folder, 'tale-8.0.0/bmad.json');
    await writeFile(
      manifest,
      (await readFile(manifest, 'utf8')).replace(/"version": ?"[^"]+"/, '"version": "9.0.0"'),
    );
    await rig.run('packages', 'add', 'tale-8.0.0');
    const refused = await rig.run('upgrade', 'last', '--yes');
    expect(refused.err).toContain(
      'The run is at "decide-02", which sample 9.0.0 does not have. Choose the step to continue at with --node; the nearest is "step-01".',
    );
    expect(refused.code).toBe(2);
    const { code, out } = await rig.run('upgrade', 'last', '--yes', '--node', 'step-01');
    expect(out).toContain('continues at the beginning of step-01');
    expect(code).toBe(0);
    expect((await rig.run('show', 'last')).out).toContain('▸ step-01');
  });

  it('[S16] refuses a version that is not installed, and a run that is not there', async () => {
    const rig = await setUp();
    await rig.release('8.0.0');
    expect((await rig.run('upgrade', 'last', '--to', '7.0.0', '--yes')).err).toContain(
      'No installed package matches',
    );
    expect((await rig.run('upgrade', 'nothing', '--yes')).code).toBe(2);
  });
});

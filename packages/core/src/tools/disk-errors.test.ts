import { spawnSync } from 'node:child_process';
import { chmod, chown } from 'node:fs/promises';
import { join } from 'node:path';
import type { ToolResult } from '@crewagent/protocol/tools';
import { describe, expect, it } from 'vitest';
import { driverPath } from '../testing/driver-path.ts';
import { buildToolRig } from '../testing/rigs/build-tool-rig.ts';
import { readTree, tempFolder } from '../testing/temp-folder.ts';

/** Creates a rig on disk and makes one call from another process under `limits` (shell commands). */
async function callUnder(
  limits: string,
  name: string,
  args: object,
): Promise<{ result: ToolResult; before: object; after: object }> {
  const root = await tempFolder();
  const rig = await buildToolRig(root, { project: { 'artifacts/a.md': 'old', 'src/b.md': 'old' } });
  await chmod(root, 0o755);
  const before = { ...(await readTree(rig.project)), ...(await readTree(rig.state)) };
  const asNobody = limits.includes('nobody') && process.getuid?.() === 0;
  if (asNobody) await chown(join(rig.project, 'src', 'b.md'), 65_534, 65_534);
  const command = `${limits.replace('nobody', ':')}; exec "${process.execPath}" "${driverPath('one-call')}" "$0" "$1" "$2"`;
  const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', command, root, name, JSON.stringify(args)], {
    encoding: 'utf8',
    ...(asNobody ? { uid: 65_534, gid: 65_534 } : {}),
  });
  expect(stderr).toBe('');
  const after = { ...(await readTree(rig.project)), ...(await readTree(rig.state)) };
  return { result: JSON.parse(stdout) as ToolResult, before, after };
}

describe('disk errors', () => {
  const refusals: [what: string, limits: string, name: string, args: object, message: RegExp][] = [
    [
      'a file that does not fit',
      `ulimit -f 40; trap '' XFSZ`,
      'fs.write',
      { path: 'src/b.md', content: 'x'.repeat(100_000) },
      /too large for this disk/,
    ],
    [
      'a folder without write permission',
      'nobody',
      'fs.write',
      { path: 'src/b.md', content: 'new' },
      /permission was denied/,
    ],
    [
      'a state folder without write permission',
      'nobody',
      'fs.apply_patch',
      { path: 'workflow.md', update: { variables: { set: { a: 1 } } } },
      /permission was denied/,
    ],
  ];
  for (const [what, limits, name, args, message] of refusals) {
    it(`[M10] reports ${what} in one sentence, changes nothing and leaves no temp file`, async () => {
      const { result, before, after } = await callUnder(limits, name, args);
      expect(result).toMatchObject({ ok: false, error: { code: 'E_DISK' } });
      expect(result.ok ? '' : result.error.message).toMatch(message);
      expect(after).toEqual(before);
    });
  }

  it('[M10] reports too many open files in one sentence and changes nothing', async () => {
    const { result, before, after } = await callUnder('ulimit -n 24', 'fs.write', {
      path: `src/${'deep/'.repeat(40)}c.md`,
      content: 'new',
    });
    expect(result).toMatchObject({ ok: false, error: { code: 'E_DISK' } });
    expect(result.ok ? '' : result.error.message).toContain('too many files are open');
    expect(Object.keys(after).filter((name) => name.includes('writing'))).toEqual([]);
    expect(after).toMatchObject(before);
  });
});

import { createHash } from 'node:crypto';
import { chmod, mkdir, readdir, readlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { withoutLineNumbers } from '@crewagent/protocol/numbered-lines';
import { describe, expect, it } from 'vitest';
import { asOrdinaryUser } from '../../testing/as-ordinary-user.ts';
import { codeOf, createToolRig } from '../../testing/rigs/tool-rig.ts';

const sha256 = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex');
const lines = (count: number): string =>
  Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join('');

/** Number of this process's descriptors that are open on a file. */
async function descriptorsOf(path: string): Promise<number> {
  const names = await readdir('/proc/self/fd');
  const targets = names.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => undefined));
  return (await Promise.all(targets)).filter((target) => target === path).length;
}

describe('fs.read', () => {
  it('[T1] returns a small file whole, with its size and hash', async () => {
    const { call } = await createToolRig({ project: { 'docs/a.md': '# Ä\r\nhello' } });
    expect(await call('fs.read', { path: 'docs/a.md' })).toEqual({
      ok: true,
      path: '@project/docs/a.md',
      bytes: 11,
      sha256: sha256('# Ä\r\nhello'),
      truncated: false,
      endLine: 2,
      content: '1:# Ä\r\n2:hello',
    });
  });

  it('[T1] also reads the package, the state, and an empty file', async () => {
    const { call } = await createToolRig({ project: { empty: '' } });
    expect(await call('fs.read', { path: 'steps/step-01.md' })).toMatchObject({
      path: '@pkg/steps/step-01.md',
      content: '1:# Step\n',
    });
    expect(await call('fs.read', { path: 'workflow.md' })).toMatchObject({
      ok: true,
      path: '@state/workflow.md',
    });
    expect(await call('fs.read', { path: '@project/empty' })).toMatchObject({ content: '', bytes: 0 });
    expect(await call('fs.read', { path: '@project/empty', startLine: 1 })).toMatchObject({ content: '' });
  });

  it('[T1] returns a range of lines, with the hash of the whole file', async () => {
    const { call } = await createToolRig({ project: { 'a.txt': lines(50) } });
    expect(await call('fs.read', { path: 'a.txt', startLine: 10, endLine: 12 })).toMatchObject({
      content: '10:line 10\n11:line 11\n12:line 12\n',
      hint: 'Lines 10–12 of 50. Continue with startLine 13.',
      startLine: 10,
      endLine: 12,
      totalLines: 50,
      sha256: sha256(lines(50)),
    });
    expect(await call('fs.read', { path: 'a.txt', startLine: 49, endLine: 900 })).toMatchObject({
      content: '49:line 49\n50:line 50\n',
      hint: 'Lines 49–50 of 50.',
      endLine: 50,
    });
    expect(codeOf(await call('fs.read', { path: 'a.txt', startLine: 51 }))).toBe('TOOL_ARGS_INVALID');
    expect(codeOf(await call('fs.read', { path: 'a.txt', startLine: 5, endLine: 3 }))).toBe(
      'TOOL_ARGS_INVALID',
    );
  });

  it('[T1] returns a preview of a large file, and ranges of its lines', async () => {
    const text = lines(20_000);
    const { call } = await createToolRig({ project: { 'big.txt': text } });
    const result = await call('fs.read', { path: 'big.txt' });
    expect(result).toMatchObject({
      ok: true,
      truncated: true,
      totalLines: 20_000,
      bytes: text.length,
      sha256: sha256(text),
    });
    const preview = result.ok ? withoutLineNumbers(String(result.contentPreview)) : '';
    expect(text.startsWith(preview)).toBe(true);
    expect(preview.endsWith('\n')).toBe(true);
    expect(await call('fs.read', { path: 'big.txt', startLine: 15_000, endLine: 15_000 })).toMatchObject({
      content: '15000:line 15000\n',
    });
  });

  it('[T1] streams a file of many megabytes', async () => {
    const text = lines(900_000);
    const { call } = await createToolRig({ project: { 'huge.txt': text } });
    expect(await call('fs.read', { path: 'huge.txt' })).toMatchObject({
      truncated: true,
      totalLines: 900_000,
      sha256: sha256(text),
    });
    expect(await call('fs.read', { path: 'huge.txt', startLine: 899_999, endLine: 900_000 })).toMatchObject({
      content: '899999:line 899999\n900000:line 900000\n',
      bytes: text.length,
    });
  });

  it.runIf(process.platform === 'linux')('[T46] stops reading an endless file on abort', async () => {
    const rig = await createToolRig({ project: { 'vast.bin': '' } });
    const path = join(rig.project, 'vast.bin');
    await truncate(path, 2 ** 42);
    const stopper = new AbortController();
    const reading = rig.call('fs.read', { path: 'vast.bin' }, { signal: stopper.signal });
    await expect.poll(() => descriptorsOf(path)).toBe(1);
    stopper.abort();
    expect(codeOf(await reading)).toBe('ENGINE_ABORTED');
    await expect.poll(() => descriptorsOf(path)).toBe(0);
  });

  it('[T1] describes a binary file instead of showing it', async () => {
    const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13]);
    const { call } = await createToolRig({
      project: { 'logo.png': png, 'big.bin': Buffer.alloc(6_000_000) },
    });
    const result = await call('fs.read', { path: 'logo.png' });
    expect(result).toMatchObject({
      ok: true,
      binary: true,
      mime: 'image/png',
      bytes: 12,
      sha256: sha256(png),
    });
    expect(result).not.toHaveProperty('content');
    expect(await call('fs.read', { path: 'big.bin' })).toMatchObject({ binary: true, bytes: 6_000_000 });
  });

  it('[T1] reads UTF-16, BOMs and legacy encodings', async () => {
    const { call } = await createToolRig({
      project: {
        'u.txt': Buffer.from('\uFEFFhéllo', 'utf16le'),
        'b.txt': '\uFEFFbom',
        'l.txt': Buffer.from('caf\xe9 cr\xe8me', 'latin1'),
      },
    });
    expect(await call('fs.read', { path: 'u.txt' })).toMatchObject({
      content: '1:héllo',
      encoding: 'utf16le',
    });
    expect(await call('fs.read', { path: 'b.txt' })).toMatchObject({
      content: '1:bom',
      encoding: 'utf8-bom',
    });
    expect(await call('fs.read', { path: 'l.txt' })).toMatchObject({
      content: '1:café crème',
      encoding: 'latin1',
    });
  });

  it.each([
    ['two bytes per character', 'é'],
    ['three bytes per character', '漢'],
    ['four bytes per character', '🙂'],
  ])('[T1] previews UTF-8 over 4 MiB as UTF-8, wherever it is cut: %s', async (_, character) => {
    const width = Buffer.byteLength(character);
    const body = character.repeat(Math.ceil((4.5 * 1024 * 1024) / width));
    for (let phase = 0; phase < width; phase++) {
      const text = 'x'.repeat(phase) + body;
      const { call } = await createToolRig({ project: { 'big.txt': text } });
      const result = await call('fs.read', { path: 'big.txt' });
      expect(result).toMatchObject({ ok: true, truncated: true });
      expect(result).not.toHaveProperty('encoding');
      expect(text.startsWith(result.ok ? withoutLineNumbers(String(result.contentPreview)) : '?')).toBe(true);
    }
  });

  it('[T1] reports the encoding of a file over 4 MiB that is not UTF-8', async () => {
    const { call } = await createToolRig({
      project: { 'l.txt': Buffer.from(`${'caf\xe9 cr\xe8me\n'.repeat(400_000)}caf\xe9`, 'latin1') },
    });
    expect(await call('fs.read', { path: 'l.txt', startLine: 400_001 })).toMatchObject({
      content: '400001:café',
      encoding: 'latin1',
    });
    const result = await call('fs.read', { path: 'l.txt' });
    expect(result).toMatchObject({ truncated: true, encoding: 'latin1' });
    expect(result.ok ? withoutLineNumbers(String(result.contentPreview)) : '').toMatch(/^café crème\n/);
  });

  it('[T1] numbers the lines, says where to continue, and outlines Markdown that is too long', async () => {
    const part = (title: string): string => `## ${title}\n\n${'Some words of this part.\n'.repeat(1_500)}\n`;
    const text = `---\ntitle: x\n---\n# Report\n\n${part('Goals')}\`\`\`\n## Not a heading\n\`\`\`\n${part('Gaps')}`;
    const { call } = await createToolRig({ project: { 'report.md': text, 'report.txt': text } });
    const result = await call('fs.read', { path: 'report.md' });
    expect(result).toMatchObject({
      startLine: 1,
      endLine: 333,
      totalLines: 3_014,
      hint: 'Lines 1–333 of 3014. Continue with startLine 334.',
      outline: '4 # Report\n6 ## Goals\n1512 ## Gaps',
    });
    expect(result.ok && result.contentPreview).toMatch(/^1:---\n2:title: x\n3:---\n4:# Report\n/);
    expect(await call('fs.read', { path: 'report.md', startLine: 331, endLine: 331 })).toMatchObject({
      content: '331:Some words of this part.\n',
      hint: 'Lines 331–331 of 3014. Continue with startLine 332.',
    });
    expect(await call('fs.read', { path: 'report.txt' })).not.toHaveProperty('outline');
  });

  it('[T1] reads a section by its heading, or names the headings', async () => {
    const text =
      '# Plan\r\n\r\n## Gaps\r\none\r\n### Small\r\n```\r\n## Fenced\r\n```\r\n## Next\r\n\r\nOld\r\n===\r\ntwo\r\n### Small\r\n';
    const { call } = await createToolRig({ project: { 'plan.md': text } });
    const section = (name: string) => call('fs.read', { path: 'plan.md', section: name });
    expect(await section('## Gaps')).toMatchObject({
      startLine: 3,
      endLine: 8,
      totalLines: 14,
      content: '3:## Gaps\r\n4:one\r\n5:### Small\r\n6:```\r\n7:## Fenced\r\n8:```\r\n',
      hint: 'Lines 3–8 of 14.',
    });
    expect(await section('gaps')).toMatchObject({ startLine: 3, endLine: 8 });
    expect(await section('# Old')).toMatchObject({ startLine: 11, endLine: 14 });
    const messages = await Promise.all(
      ['# Gaps', 'Fenced', '### Small'].map(async (name) => {
        const result = await section(name);
        return result.ok ? '' : result.error.message;
      }),
    );
    const headings = '1 # Plan\n3 ## Gaps\n5 ### Small\n9 ## Next\n11 # Old\n14 ### Small';
    expect(messages).toEqual([
      `"@project/plan.md" has no section "# Gaps"; its headings are:\n${headings}.`,
      `"@project/plan.md" has no section "Fenced"; its headings are:\n${headings}.`,
      '"@project/plan.md" has 2 sections "### Small" (### at line 5, ### at line 14); name one that is unique, or use lines.',
    ]);
  });

  it('[T1] reads several files in one call, with one limit for all and a result for each', async () => {
    const rig = await createToolRig({
      project: { 'a.md': 'a\n', 'b.md': 'b\n', 'big.md': lines(5_000), 'c.md': 'c\n', '.env': 'K=1' },
      policy: { fs: { inlineReadBytes: 8_400 } },
    });
    const result = await rig.call('fs.read', {
      paths: ['a.md', 'none.md', 'b.md', '.env', 'big.md', 'c.md'],
    });
    expect(result).toMatchObject({
      ok: true,
      files: [
        { path: '@project/a.md', ok: true, content: '1:a\n' },
        { path: '@project/none.md', ok: false, error: { code: 'ENOENT' } },
        { path: '@project/b.md', ok: true, content: '1:b\n' },
        { ok: false, error: { code: 'E_SANDBOX_VIOLATION' } },
        { path: '@project/big.md', truncated: true },
        { ok: false, error: { code: 'E_READ_LIMIT' } },
      ],
    });
    expect(rig.facts.at(-1)).toMatchObject({
      effect: { kind: 'read', path: '@project/a.md', also: ['@project/b.md', '@project/big.md'] },
    });
    expect(await rig.call('fs.read', { paths: ['a.md'] })).toMatchObject({ path: '@project/a.md' });
    expect(codeOf(await rig.call('fs.read', { paths: ['x.md', 'y.md'] }))).toBe('ENOENT');
    expect(codeOf(await rig.call('fs.read', {}))).toBe('TOOL_ARGS_INVALID');
  });

  it("[T1] respects the agent's limits", async () => {
    const { call } = await createToolRig({
      project: { 'a.txt': lines(500) },
      agentTools: { fs: { enabled: true, maxReadBytes: 100 } },
    });
    expect(await call('fs.read', { path: 'a.txt' })).toMatchObject({ truncated: true });
    expect(codeOf(await call('fs.read', { path: 'a.txt', startLine: 1, endLine: 400 }))).toBe('E_READ_LIMIT');
    expect(await call('fs.read', { path: 'a.txt', startLine: 1, endLine: 2 })).toMatchObject({
      content: '1:line 1\n2:line 2\n',
    });
  });

  it('[M3] names mount paths only in errors', async () => {
    const { call, root, project } = await createToolRig({ project: { 'a.md': 'x', '.env': 'KEY=1' } });
    await mkdir(join(project, 'dir'));
    const refusals = await Promise.all(
      ['none.md', 'dir', '/etc/passwd', '@home/x', '../x', '.env', 'a.md/below'].map((path) =>
        call('fs.read', { path }),
      ),
    );
    expect(refusals.map(codeOf)).toEqual([
      'ENOENT',
      'TOOL_ARGS_INVALID',
      'E_SANDBOX_VIOLATION',
      'E_SANDBOX_VIOLATION',
      'E_SANDBOX_VIOLATION',
      'E_SANDBOX_VIOLATION',
      'ENOENT',
    ]);
    for (const refusal of refusals) {
      expect(JSON.stringify(refusal)).not.toContain(root);
      expect(JSON.stringify(refusal)).not.toContain('/proc/');
      if (!refusal.ok) expect(refusal.error.message).toMatch(/^[^;]+; [^;]+\.$/);
    }
    expect(refusals[5]).toMatchObject({ error: { details: { reason: 'secret' } } });
  });
});

describe('fs.list', () => {
  it.skipIf(process.platform === 'win32')('lists an unreadable subfolder by name', async () => {
    const { call, root, project } = await createToolRig({
      project: { 'open/a.md': '', 'closed/b.md': '' },
    });
    await asOrdinaryUser(root, async () => {
      await chmod(join(project, 'closed'), 0);
      expect(await call('fs.list', { path: '@project', depth: 2 })).toMatchObject({
        entries: ['closed/', 'open/', 'open/a.md'],
      });
      await chmod(join(project, 'closed'), 0o700);
    });
  });

  it('lists names in order, folders with a trailing slash', async () => {
    const { call } = await createToolRig({
      project: {
        'b.md': '',
        'a/x.md': '',
        'a/deep/y.md': '',
        '.hidden': '',
        '.git/HEAD': '',
        'node_modules/z/i.js': '',
      },
    });
    expect(await call('fs.list', { path: '@project' })).toEqual({
      ok: true,
      path: '@project',
      entries: ['a/', 'b.md'],
    });
    expect(await call('fs.list', { path: '@project', depth: 3 })).toMatchObject({
      entries: ['a/', 'a/deep/', 'a/deep/y.md', 'a/x.md', 'b.md'],
    });
    expect(await call('fs.list', { path: '@project', includeHidden: true })).toMatchObject({
      entries: ['.git/', '.hidden', 'a/', 'b.md', 'node_modules/'],
    });
    expect(await call('fs.list', { path: '@project/a/deep' })).toMatchObject({ entries: ['y.md'] });
    expect(codeOf(await call('fs.list', { path: '@project/none' }))).toBe('ENOENT');
    expect(codeOf(await call('fs.list', { path: '@project/b.md' }))).toBe('ENOENT');
  });

  it('lists the first 200 of many entries, by name', async () => {
    const { call, project } = await createToolRig();
    await Promise.all(
      Array.from({ length: 5_000 }, (_, index) => writeFile(join(project, `f${String(9_999 - index)}`), '')),
    );
    const result = await call('fs.list', { path: '@project' });
    expect(result).toMatchObject({ ok: true, truncated: true, total: 5_000 });
    const names = result.ok ? (result.entriesPreview as string[]) : [];
    expect([names.length, names[0], names.at(-1)]).toEqual([200, 'f5000', 'f5199']);
  });
});

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { numberLines } from '@crewagent/protocol/numbered-lines';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasHiddenMarker, maskSecrets } from '../../mounts/sensitive/hidden-values.ts';
import { call } from '../../testing/models/scripted-model.ts';
import { rigFor } from '../../testing/rigs/branching-run.ts';
import { readTree } from '../../testing/temp-folder.ts';
import { nextContent } from './hidden-content.ts';
import { encodeText } from './text-file.ts';

const TOKEN = `ghp_${'aB3dE5gH7jK9mN1pQr'.repeat(2)}`;
const OTHER = `ghp_${'zY8xW6vU4tS2rQ0pOn'.repeat(2)}`;
const LINES = ['QWxhZGRpbjpvcGVuIHNlc2FtZSBhbmQgc28gb24u', 'c2Vjb25kIGxpbmUgb2YgdGhlIHNlY3JldCBrZXk='];
const KEY = `-----BEGIN PRIVATE KEY-----\n${LINES.join('\n')}\n-----END PRIVATE KEY-----`;
const CONFIG = `url: https://api.test\ntoken: ${TOKEN}\nkey: |\n${KEY}\nport: 80\n`;
const SHOWN = maskSecrets(CONFIG);
const PATH = '@project/config.yml';
const autopilot = { settings: { tools: { approval: 'autopilot' as const } } };

const read = (folder: string, path: string) => readFile(join(folder, path), 'utf8');
const isShown = (value: unknown) =>
  [TOKEN, OTHER, ...LINES].some((secret) => JSON.stringify(value).includes(secret));

describe('hidden values in a run', () => {
  it('[T180] are in no result, event, request or log, whichever way they are read', async () => {
    const rig = await rigFor(
      [
        call('fs_read', { path: PATH }),
        call('fs_read', { path: PATH, startLine: 5, endLine: 6 }),
        call('fs_search', { query: 'token', path: '@project/config.yml' }),
        call('fs_search', { query: 'QWxh', path: '@project' }),
        call('fs_search', { query: 'ghp_a', path: '@project', regex: true }),
        'Well.',
      ],
      { ...autopilot, project: { 'config.yml': CONFIG } },
    );
    await rig.engine.start();
    const [whole, part, found, ...guessed] = rig
      .eventsOf('tool.ended')
      .map(({ content }) => JSON.parse(content) as { content?: string; files?: { lines: string }[] });
    expect(whole?.content).toBe(numberLines(SHOWN));
    expect(part?.content).not.toContain('QWxh');
    expect(found?.files?.[0]?.lines).toMatch(/^2: token: \[hidden: GitHub token ..\]$/m);
    expect(guessed).toMatchObject([{ found: '0 matches' }, { found: '0 matches' }]);
    expect(isShown(rig.events)).toBe(false);
  });

  it('[T180] are masked in the settings of git, which stay readable', async () => {
    const config = `[remote "origin"]\n\turl = https://bot:${TOKEN}@github.com/a/b.git\n`;
    const rig = await rigFor([call('fs_read', { path: '@project/.git/config' }), 'Well.'], {
      project: { '.git/config': config },
    });
    await rig.engine.start();
    expect(rig.eventsOf('tool.ended')[0]?.content).toContain('url = https://bot:[hidden: GitHub token');
    expect(isShown(rig.events)).toBe(false);
  });

  it('[T182] are still in the file after it was read and written back, and after patches around them', async () => {
    const rig = await rigFor(
      [
        call('fs_write', { path: PATH, content: `# first\n${SHOWN}` }),
        call('fs_apply_patch', { path: PATH, find: 'port: 80', replace: 'port: 81' }),
        call('fs_apply_patch', {
          path: PATH,
          find: SHOWN.split('\n').slice(0, 2).join('\n'),
          replace: SHOWN.split('\n').slice(0, 2).reverse().join('\n'),
        }),
        call('fs_write', { path: PATH, content: '# end\n', mode: 'append' }),
        'Well.',
      ],
      { ...autopilot, project: { 'config.yml': CONFIG } },
    );
    await rig.engine.start();
    expect(rig.eventsOf('tool.ended').map(({ outcome }) => outcome)).toEqual(Array(4).fill('ok'));
    expect(await read(rig.project, 'config.yml')).toBe(
      `# first\ntoken: ${TOKEN}\nurl: https://api.test\nkey: |\n${KEY}\nport: 81\n# end\n`,
    );
    expect(isShown(rig.events)).toBe(false);
  });

  it('[T182] are not copied to other files: a marker without its value is rejected', async () => {
    const rig = await rigFor(
      [
        call('fs_write', { path: '@project/copy.yml', content: SHOWN }),
        call('fs_write', { path: '@project/other.md', content: SHOWN }),
        'Well.',
      ],
      { ...autopilot, project: { 'config.yml': CONFIG, 'other.md': 'text\n' } },
    );
    await rig.engine.start();
    expect(rig.eventsOf('tool.ended')).toMatchObject(Array(2).fill({ code: 'TOOL_ARGS_INVALID' }));
    expect(await read(rig.project, 'other.md')).toBe('text\n');
    expect(Object.keys(await readTree(rig.project))).not.toContain('copy.yml');
  });

  it('[T182] are masked in the diff that a person approves, and the approved change is made', async () => {
    const rig = await rigFor([call('fs_write', { path: PATH, content: `${SHOWN}x: 1\n` }), 'Well.'], {
      settings: { tools: { approval: 'ask' } },
      project: { 'config.yml': CONFIG },
    });
    await rig.engine.start();
    expect(rig.eventsOf('approval.requested')).toHaveLength(1);
    await rig.engine.approve({ decision: 'once' });
    expect(rig.eventsOf('approval.requested')).toHaveLength(1);
    expect(await read(rig.project, 'config.yml')).toBe(`${CONFIG}x: 1\n`);
    expect(isShown(rig.events)).toBe(false);
  });

  it('[T182] a value that the user gave to the model is written, and shown in no diff', async () => {
    const rig = await rigFor(
      [
        call('fs_apply_patch', { path: PATH, find: `token: ${TOKEN}`, replace: `token: ${OTHER}` }),
        call('fs_read', { path: PATH }),
        'Well.',
      ],
      { ...autopilot, project: { 'config.yml': CONFIG } },
    );
    await rig.engine.start();
    expect(await read(rig.project, 'config.yml')).toBe(CONFIG.replace(TOKEN, OTHER));
    expect(isShown(rig.eventsOf('tool.ended'))).toBe(false);
  });
});

describe('a file that is written back as it was shown', () => {
  const parts = fc.array(
    fc.oneof(fc.constantFrom(TOKEN, OTHER, KEY, 'é', '\n', 'a: b'), fc.string({ maxLength: 5 })),
  );
  const encoding = fc.constantFrom('utf8', 'utf8-bom', 'utf16le', 'utf16be', 'latin1' as const);

  it('[T182] is the same file, in every encoding and with every line ending', async () => {
    await fc.assert(
      fc.asyncProperty(parts, encoding, fc.boolean(), async (texts, code, isWindows) => {
        const text = texts.join('\n').replaceAll('\r', '');
        const bytes = encodeText(isWindows ? text.replaceAll('\n', '\r\n') : text, code);
        fc.pre(bytes !== undefined && !hasHiddenMarker(text));
        if (!bytes) return;
        const current = { bytes, sha256: '' };
        expect(await nextContent((shown) => shown?.bytes ?? bytes, current, 'x')).toEqual(bytes);
      }),
      { numRuns: 500 },
    );
  });
});

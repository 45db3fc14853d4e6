import type { ToolResult } from '@crewagent/protocol/tools';
import { zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { sha256Of } from '../../base/sha256.ts';
import { toPdf, toSheets, toWord } from '../../testing/made-documents.ts';
import { createToolRig } from '../../testing/rigs/tool-rig.ts';
import { extractText } from './extract-text.ts';

const never = new AbortController().signal;
const extract = (
  format: 'pdf' | 'word' | 'sheets',
  content: Uint8Array,
  limits?: Parameters<typeof extractText>[3],
) => extractText(format, { content, sha256: sha256Of(content) }, never, limits);
const reasonOf = async (pending: ReturnType<typeof extract>): Promise<string> => {
  const result = await pending;
  if (!result || result.ok) throw new Error(`has a text: ${JSON.stringify(result)}`);
  return result.reason;
};

const contentOf = (result: ToolResult): unknown => result.ok && result.content;

describe('text of documents', () => {
  it('[T1] reads a PDF page by page', async () => {
    const { call } = await createToolRig({
      project: { 'attachments/plan.pdf': toPdf(['The first page', 'Another page']) },
    });
    const whole = await call('fs.read', { path: 'attachments/plan.pdf' });
    expect(whole).toMatchObject({ ok: true, extractedFrom: 'pdf', truncated: false });
    expect(contentOf(whole)).toBe(
      '1:## Page 1\n2:\n3:The first page\n4:\n5:\n6:## Page 2\n7:\n8:Another page\n',
    );
    const page = await call('fs.read', { path: 'attachments/plan.pdf', section: '## Page 2' });
    expect(contentOf(page)).toContain('Another page');
    expect(contentOf(page)).not.toContain('first');
  });

  it('[T1] reads a Word file with its headings, lists and tables', async () => {
    expect(await extract('word', await toWord())).toEqual({
      ok: true,
      text: '# Minutes\n\nWe met & agreed.\n\n- one\n- two\n| Name | Days |\n| A \\| B | 3 |\n\n',
    });
  });

  it('[T1] reads an Excel file sheet by sheet, with dates', async () => {
    const content = toSheets({
      Budget: [
        ['Item', 'Cost', 'Due'],
        ['Desk', 120.5, { date: 45_000 }],
      ],
      'Übersicht 总览': [['=', true]],
    });
    expect(await extract('sheets', content)).toEqual({
      ok: true,
      text: '## Sheet: Budget\n\n| Item | Cost | Due |\n| Desk | 120.5 | 2023-03-15 |\n\n## Sheet: Übersicht 总览\n\n| = | TRUE |\n',
    });
  });

  it('[T1] says in a sentence why a document cannot be read', async () => {
    expect(await reasonOf(extract('pdf', Buffer.from('%PDF-1.7\nnothing')))).toContain('damaged');
    expect(await reasonOf(extract('pdf', toPdf(['', ''])))).toContain('no text');
    expect(await reasonOf(extract('word', zipSync({ 'a.txt': Buffer.from('a') })))).toContain('damaged');
    expect(await reasonOf(extract('sheets', Buffer.from('PK\u0003\u0004 and no more')))).toContain('damaged');
    expect(await reasonOf(extract('word', Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 1, 2])))).toContain(
      'password',
    );
    const broken = zipSync({ 'word/document.xml': Buffer.from('<w:p><w:t>half') });
    expect(await reasonOf(extract('word', broken))).toContain('damaged');
  });

  it('[T1] reads a text file that is only named like a document', async () => {
    const { call } = await createToolRig({ project: { 'notes.pdf': 'plain words' } });
    expect(await call('fs.read', { path: 'notes.pdf' })).toMatchObject({ content: '1:plain words' });
  });

  it('[T46] a document that declares gigabytes is refused, and the next one is read', async () => {
    const bomb = Buffer.from(zipSync({ 'word/document.xml': Buffer.from('<p/>') }));
    // The size that the directory of the archive declares.
    bomb.writeUInt32LE(3_000_000_000, bomb.indexOf('PK\u0001\u0002') + 24);
    expect(await reasonOf(extract('word', bomb))).toContain('damaged');
    expect(await extract('pdf', toPdf(['Still here']))).toMatchObject({ ok: true });
  });

  it('[T46] limits of time and memory, and a stop, end the thread', async () => {
    const content = toSheets({ Large: Array.from({ length: 20_000 }, (_, row) => [row, `text ${row}`]) });
    const limits = { timeMs: 20_000, memoryBytes: 1_000_000_000 };
    expect(await reasonOf(extract('sheets', content, { ...limits, timeMs: 1 }))).toContain('too long');
    expect(await reasonOf(extract('sheets', content, { ...limits, memoryBytes: -1e12 }))).toContain('memory');
    const stopped = extractText('sheets', { content, sha256: 'x' }, AbortSignal.abort());
    await expect(stopped).rejects.toThrow('aborted');
    expect(await extract('sheets', content, limits)).toMatchObject({ ok: true });
  });
});

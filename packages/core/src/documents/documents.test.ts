import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { strFromU8, unzipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { tempFolder, writeTree } from '../testing/temp-folder.ts';
import { exportDocument } from './export-document.ts';
import { readDocument } from './read-document.ts';
import { markdownToDocx } from './to-docx.ts';
import { markdownToHtml } from './to-html.ts';

/** One red pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
);

const TEXT = `---
status: draft
---
# Plan & <b>goals</b>

Some **bold**, *thin* and \`code\`, [a link](https://example.com/?a=1&b=2), [none](javascript:alert(1)).

1. one
   - deeper
2. two

- [x] done

| Step | Time |
| --- | ---: |
| 登录 | 3 |

> quoted

\`\`\`ts
const a = '<script>';
\`\`\`

![A dot](dot.png) ![gone](gone.png) ![out](../out.png) ![web](https://evil.example/p.png)
`;

async function createDocument() {
  const project = await tempFolder();
  await writeTree(project, { 'docs/plan.md': TEXT });
  await writeFile(join(project, 'docs/dot.png'), PNG);
  const document = await readDocument({ project, secretPatterns: [] }, '@project/docs/plan.md');
  if (!document) throw new Error('no document');
  return { project, document };
}

async function xmlOf(text: string): Promise<string> {
  const files = unzipSync(await markdownToDocx(text, { title: 'T' }));
  return strFromU8(files['word/document.xml'] ?? new Uint8Array());
}

describe('a document of a project', () => {
  it('[X20] has the images beside it, and no others', async () => {
    const { document } = await createDocument();
    expect([...document.images.keys()]).toEqual(['dot.png']);
    expect(document.images.get('dot.png')).toMatchObject({ kind: 'png', width: 1, height: 1 });
  });

  it('[X20] is not read through a link that leads out, nor if it is secret or not a text', async () => {
    const { project } = await createDocument();
    await writeFile(join(project, '..', 'outside.md'), 'outside');
    await symlink(join(project, '..', 'outside.md'), join(project, 'link.md'));
    await writeFile(join(project, '.env'), 'KEY=1');
    await writeFile(join(project, 'a.bin'), Buffer.from([0, 1]));
    const read = (path: string) => readDocument({ project, secretPatterns: [] }, `@project/${path}`);
    await expect(read('link.md')).rejects.toMatchObject({ code: 'PermissionDenied' });
    await expect(read('.env')).rejects.toMatchObject({ code: 'PermissionDenied' });
    expect(await read('a.bin')).toBeUndefined();
    expect(await read('gone.md')).toBeUndefined();
    expect(await read('a\0.md')).toBeUndefined();
    expect(await readDocument({ project, secretPatterns: [] }, '@state/workflow.md')).toBeUndefined();
    await writeTree(project, { 'far.md': '![far](../../../x.png) ![odd](a%00.png)' });
    expect((await read('far.md'))?.images.size).toBe(0);
  });
});

describe('a Word file', () => {
  it('[X20] has headings, lists, tables, code, images and links', async () => {
    const { document } = await createDocument();
    const files = unzipSync(Buffer.from(await exportDocument(document, 'docx', '')));
    const xml = strFromU8(files['word/document.xml'] ?? new Uint8Array());
    expect(xml).toContain('<w:pStyle w:val="Heading1"/>');
    expect(xml).toContain('Plan &amp; ');
    expect(xml).toContain('<w:numPr>');
    expect(xml).toContain('<w:tbl>');
    expect(xml).toContain('登录');
    expect(xml).toContain('Consolas');
    expect(xml).not.toContain('status: draft');
    expect(Object.keys(files).filter((name) => name.startsWith('word/media/'))).toHaveLength(1);
    const links = strFromU8(files['word/_rels/document.xml.rels'] ?? new Uint8Array());
    expect(links).toContain('https://example.com/?a=1&amp;b=2');
    expect(links).not.toContain('javascript:');
    expect(links).not.toContain('evil.example');
  });

  it('[X20] is readable whatever characters are in the text', async () => {
    const xml = await xmlOf('a\u0000b\u0007c\ufffe \ud800 ok & <x> "q"');
    expect(xml).toMatch(/abc.* ok &amp; /);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: XML does not allow them
    expect(xml).not.toMatch(/[\u0000-\u0008\ufffe]/);
  });
});

describe('a page of a document', () => {
  it('[X22] escapes every text, and loads nothing', async () => {
    const { document } = await createDocument();
    const page = String(await exportDocument(document, 'html', 'body{}'));
    expect(page).toContain("default-src 'none'");
    expect(page).toContain('<h1>Plan &amp; &lt;b&gt;goals&lt;/b&gt;</h1>');
    expect(page).toContain('<pre><code>const a = &#39;&lt;script&gt;&#39;;</code></pre>');
    expect(page).toContain('<a href="https://example.com/?a=1&amp;b=2">');
    expect(page).toContain('src="data:image/png;base64,');
    expect(page).not.toMatch(/<script|javascript:|src="http|<b>/);
    expect(markdownToHtml('# A\n\n## B', { headingShift: 2 })).toBe('<h3>A</h3>\n<h4>B</h4>\n');
  });

  it('[X20] names the source of a diagram, which only the page draws', async () => {
    const source = '```mermaid\nflowchart LR\n```';
    expect(markdownToHtml(source, {})).toBe(
      '<p>Diagram (Mermaid source):</p>\n<pre><code>flowchart LR</code></pre>\n',
    );
    expect(await xmlOf(source)).toContain('Diagram (Mermaid source):');
  });
});

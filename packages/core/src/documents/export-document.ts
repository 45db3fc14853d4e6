/** Exports one document of a project: as a Word file, a PDF, or a self-contained HTML page. */
import { basename, extname } from 'node:path/posix';
import { escapeText } from './escape-text.ts';
import { printPdf } from './print-pdf.ts';
import type { ProjectDocument } from './read-document.ts';
import { markdownToDocx } from './to-docx.ts';
import { markdownToHtml } from './to-html.ts';

export type DocumentFormat = 'html' | 'docx' | 'pdf';

/** `style`: of the page, trusted. */
export async function exportDocument(
  document: ProjectDocument,
  format: DocumentFormat,
  style: string,
): Promise<string | Buffer> {
  const { images } = document;
  const title = basename(document.path, extname(document.path));
  const text = isMarkdown(document.path) ? document.text : toCodeBlock(document.text);
  if (format === 'docx') return markdownToDocx(text, { title, images });
  const body = markdownToHtml(text, { images });
  const page = `<!doctype html>
<html>
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeText(title)}</title>
<style>${style}</style>
</head>
<body>
<main>
<div class="document whole">
${body}</div>
</main>
</body>
</html>
`;
  return format === 'pdf' ? printPdf(page) : page;
}

function isMarkdown(path: string): boolean {
  return /\.(?:md|markdown)$/i.test(path);
}

function toCodeBlock(text: string): string {
  const ticks = Math.max(2, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = '`'.repeat(ticks + 1);
  return `${fence}\n${text}\n${fence}`;
}

/** The text of a PDF file, page by page. */
import { getDocument, type PDFDocumentProxy } from 'unpdf/pdfjs';
import type { Extraction } from './extraction.ts';
import { createTextCollector } from './text-collector.ts';

/** A file of a few kilobytes can declare millions of pages. */
const MAX_PAGES = 5_000;

export async function readPdf(bytes: Uint8Array): Promise<Extraction> {
  try {
    // Fonts, images and scripts are not needed for text.
    const pdf = await getDocument({
      data: bytes,
      verbosity: 0,
      isEvalSupported: false,
      disableFontFace: true,
      useSystemFonts: false,
      enableXfa: false,
    }).promise;
    const collector = createTextCollector();
    const isCut = pdf.numPages > MAX_PAGES;
    for (let number = 1; number <= Math.min(pdf.numPages, MAX_PAGES); number++) {
      const text = await readPage(pdf, number);
      const heading = `\n\n## Page ${number}\n\n`;
      if (text !== '' && !collector.add(`${heading}${text}\n`)) break;
    }
    const result = collector.result();
    return { text: result.text, isCut: isCut || result.isCut };
  } catch (error) {
    const isProtected = error instanceof Error && error.name === 'PasswordException';
    return { issue: isProtected ? 'encrypted' : 'damaged' };
  }
}

async function readPage(pdf: PDFDocumentProxy, number: number): Promise<string> {
  const page = await pdf.getPage(number);
  const { items } = await page.getTextContent();
  page.cleanup();
  const text = items.map((item) => ('str' in item ? `${item.str}${item.hasEOL ? '\n' : ''}` : '')).join('');
  return text.replace(/[ \t]+$/gm, '').trim();
}

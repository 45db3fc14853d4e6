/** A Markdown document as a Word file: headings, lists, tables, code, images and links. The library is loaded with the first export. */
import type { IParagraphOptions, ParagraphChild, Table } from 'docx';
import type { MarkedToken, Tokens } from 'marked';
import type { DocumentImage } from './document-image.ts';
import { decodeReferences, insideOf, readMarkdown, toSafeUrl } from './read-markdown.ts';

type Docx = typeof import('docx');
type Block = InstanceType<Docx['Paragraph']> | Table;

export interface DocxOptions {
  readonly title: string;
  /** By the target that the document names. */
  readonly images?: ReadonlyMap<string, DocumentImage> | undefined;
}

export async function markdownToDocx(text: string, { title, images }: DocxOptions): Promise<Buffer> {
  const docx = await import('docx');
  const writer: Writer = { docx, images: images ?? new Map(), lists: 0 };
  const children = toBlocks(readMarkdown(text), writer, PLAIN);
  const file = new docx.Document({
    title: toXmlText(title),
    creator: 'CrewAgent',
    styles: STYLES,
    numbering: { config: Array.from({ length: writer.lists }, (_, list) => toNumbering(docx, list)) },
    sections: [{ properties: {}, children }],
  });
  return docx.Packer.toBuffer(file);
}

interface Writer {
  readonly docx: Docx;
  readonly images: ReadonlyMap<string, DocumentImage>;
  /** Number of ordered lists so far: each counts for itself. */
  lists: number;
}

/** What the paragraphs of a block share: the indent of a quote, the bullet of a list item. */
type Look = Pick<IParagraphOptions, 'indent' | 'bullet' | 'numbering' | 'border'>;
const PLAIN: Look = {};

/** Sizes are half points. East Asian text has a font of its own on every system. */
const FONT = { ascii: 'Calibri', hAnsi: 'Calibri', eastAsia: 'Microsoft YaHei', cs: 'Calibri' };
const MONO = { ascii: 'Consolas', hAnsi: 'Consolas', eastAsia: 'Microsoft YaHei', cs: 'Consolas' };
const STYLES = {
  default: {
    document: { run: { font: FONT, size: 22 }, paragraph: { spacing: { after: 140, line: 288 } } },
    title: { run: { font: FONT, size: 44, bold: true } },
    heading1: {
      run: { font: FONT, size: 34, bold: true },
      paragraph: { spacing: { before: 320, after: 140 } },
    },
    heading2: {
      run: { font: FONT, size: 28, bold: true },
      paragraph: { spacing: { before: 280, after: 120 } },
    },
    heading3: {
      run: { font: FONT, size: 24, bold: true },
      paragraph: { spacing: { before: 220, after: 100 } },
    },
    heading4: { run: { font: FONT, size: 22, bold: true } },
    heading5: { run: { font: FONT, size: 22, italics: true } },
    heading6: { run: { font: FONT, size: 22, italics: true } },
    hyperlink: { run: { color: '2450BD', underline: {} } },
  },
} as const;

const MAX_LEVEL = 8;

function toNumbering({ AlignmentType, LevelFormat }: Docx, list: number) {
  return {
    reference: `list-${list}`,
    levels: Array.from({ length: MAX_LEVEL + 1 }, (_, level) => ({
      level,
      format: LevelFormat.DECIMAL,
      text: `%${level + 1}.`,
      alignment: AlignmentType.START,
      style: { paragraph: { indent: { left: 720 * (level + 1), hanging: 360 } } },
    })),
  };
}

function toBlocks(tokens: readonly MarkedToken[], writer: Writer, look: Look, level = 0): Block[] {
  return tokens.flatMap((token) => toBlock(token, writer, look, level));
}

function toBlock(token: MarkedToken, writer: Writer, look: Look, level: number): Block[] {
  const { Paragraph, HeadingLevel, TextRun, BorderStyle } = writer.docx;
  const paragraph = (tokens: readonly MarkedToken[]): Block[] => [
    new Paragraph({ ...look, children: toRuns(tokens, writer) }),
  ];
  switch (token.type) {
    case 'space':
    case 'def':
      return [];
    case 'heading': {
      const heading = HeadingLevel[`HEADING_${Math.min(token.depth, 6)}` as 'HEADING_1'];
      return [new Paragraph({ heading, children: toRuns(insideOf(token.tokens), writer) })];
    }
    case 'paragraph':
      return paragraph(insideOf(token.tokens));
    case 'code':
      return toCode(token.text, writer);
    case 'blockquote': {
      const border = { left: { style: BorderStyle.SINGLE, size: 18, space: 12, color: 'C8C5BE' } };
      return toBlocks(
        insideOf(token.tokens),
        writer,
        { indent: { left: 360 * (level + 1) }, border },
        level + 1,
      );
    }
    case 'list':
      return toList(token as Tokens.List, writer, level);
    case 'table':
      return [toTable(token as Tokens.Table, writer), new Paragraph({ children: [] })];
    case 'hr':
      return [new Paragraph({ thematicBreak: true })];
    case 'html':
      return [new Paragraph({ ...look, children: [new TextRun(toXmlText(token.raw.trim()))] })];
    case 'text':
      return paragraph(token.tokens ? insideOf(token.tokens) : [token]);
    default:
      return paragraph([token]);
  }
}

function toList(list: Tokens.List, writer: Writer, level: number): Block[] {
  const shown = Math.min(level, MAX_LEVEL);
  const look: Look = list.ordered
    ? { numbering: { reference: `list-${writer.lists++}`, level: shown } }
    : { bullet: { level: shown } };
  const inside: Look = { indent: { left: 720 * (shown + 1) } };
  return list.items.flatMap((item) => {
    const [first, ...rest] = insideOf(item.tokens).filter(({ type }) => type !== 'checkbox');
    const box: MarkedToken[] = item.task
      ? [{ type: 'escape', raw: '', text: item.checked ? '☑ ' : '☐ ' }]
      : [];
    if (!first) return [new writer.docx.Paragraph({ ...look, children: toRuns(box, writer) })];
    const isText = first.type === 'text' || first.type === 'paragraph';
    const start = isText
      ? [
          new writer.docx.Paragraph({
            ...look,
            children: toRuns([...box, ...(first.tokens ? insideOf(first.tokens) : [first])], writer),
          }),
        ]
      : toBlock(first, writer, look, level + 1);
    return [...start, ...toBlocks(rest, writer, inside, level + 1)];
  });
}

function toCode(text: string, { docx: { Paragraph, TextRun } }: Writer): Block[] {
  const lines = toXmlText(text).split('\n');
  const runs = lines.map(
    (line, index) => new TextRun({ text: line, font: MONO, size: 18, ...(index > 0 ? { break: 1 } : {}) }),
  );
  return [
    new Paragraph({
      children: runs,
      shading: { type: 'clear', fill: 'F1F0ED' },
      spacing: { line: 240, after: 160 },
    }),
  ];
}

function toTable({ header, rows }: Tokens.Table, writer: Writer): Table {
  const { docx } = writer;
  const align = {
    left: docx.AlignmentType.LEFT,
    center: docx.AlignmentType.CENTER,
    right: docx.AlignmentType.RIGHT,
  };
  const border = { style: docx.BorderStyle.SINGLE, size: 4, color: 'C8C5BE' };
  const toCell = (cell: Tokens.TableCell) =>
    new docx.TableCell({
      margins: { top: 60, bottom: 60, left: 100, right: 100 },
      ...(cell.header ? { shading: { type: 'clear' as const, fill: 'F1F0ED' } } : {}),
      children: [
        new docx.Paragraph({
          spacing: { after: 0 },
          ...(cell.align ? { alignment: align[cell.align] } : {}),
          children: toRuns(insideOf(cell.tokens), writer, cell.header ? { bold: true } : {}),
        }),
      ],
    });
  return new docx.Table({
    width: { size: 100, type: docx.WidthType.PERCENTAGE },
    borders: {
      top: border,
      bottom: border,
      left: border,
      right: border,
      insideHorizontal: border,
      insideVertical: border,
    },
    rows: [header, ...rows].map(
      (cells, index) => new docx.TableRow({ tableHeader: index === 0, children: cells.map(toCell) }),
    ),
  });
}

interface RunLook {
  readonly bold?: boolean;
  readonly italics?: boolean;
  readonly strike?: boolean;
  readonly style?: string;
}

function toRuns(tokens: readonly MarkedToken[], writer: Writer, look: RunLook = {}): ParagraphChild[] {
  const { TextRun, ExternalHyperlink } = writer.docx;
  return tokens.flatMap((token): ParagraphChild[] => {
    switch (token.type) {
      case 'text':
        if (token.tokens) return toRuns(insideOf(token.tokens), writer, look);
        return [new TextRun({ text: toXmlText(decodeReferences(token.text)), ...look })];
      case 'strong':
        return toRuns(insideOf(token.tokens), writer, { ...look, bold: true });
      case 'em':
        return toRuns(insideOf(token.tokens), writer, { ...look, italics: true });
      case 'del':
        return toRuns(insideOf(token.tokens), writer, { ...look, strike: true });
      case 'codespan':
        return [new TextRun({ text: toXmlText(token.text), font: MONO, size: 20, ...look })];
      case 'br':
        return [new TextRun({ break: 1 })];
      case 'link': {
        const link = toSafeUrl(decodeReferences(token.href));
        const children = toRuns(
          insideOf(token.tokens),
          writer,
          link === undefined ? look : { ...look, style: 'Hyperlink' },
        );
        return link === undefined ? children : [new ExternalHyperlink({ link, children })];
      }
      case 'image':
        return [toImage(token as Tokens.Image, writer)];
      case 'escape':
        return [new TextRun({ text: toXmlText(token.text), ...look })];
      case 'checkbox':
        return [new TextRun(token.checked ? '☑ ' : '☐ ')];
      default:
        return [new TextRun({ text: toXmlText(token.raw), ...look })];
    }
  });
}

/** In pixels: the text of a page is about as wide. */
const MAX_WIDTH = 600;

function toImage(
  { href, text }: Tokens.Image,
  { docx: { ImageRun, TextRun }, images }: Writer,
): ParagraphChild {
  const image = images.get(href);
  if (!image) return new TextRun({ text: toXmlText(decodeReferences(text) || href), italics: true });
  const scale = Math.min(1, MAX_WIDTH / image.width);
  const size = { width: Math.round(image.width * scale), height: Math.round(image.height * scale) };
  return new ImageRun({ type: image.kind, data: Buffer.from(image.bytes), transformation: size });
}

/** Without the characters that XML does not allow, which would make the file unreadable. */
function toXmlText(text: string): string {
  return text.replace(/[\ud800-\udfff]/gu, '\ufffd').replace(/[^\P{Cc}\t\n\r]|[\ufffe\uffff]/gu, '');
}

/** Small PDF, Word and Excel files for tests. */
import { Document, HeadingLevel, Packer, Paragraph, Table, TableCell, TableRow } from 'docx';
import { zipSync } from 'fflate';

/** One line of ASCII text on each page. */
export function toPdf(pages: readonly string[]): Buffer {
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Count ${pages.length} /Kids [${pages.map((_, at) => `${4 + at * 2} 0 R`).join(' ')}] >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...pages.flatMap((text, at) => {
      const stream = `BT /F1 12 Tf 72 700 Td (${text}) Tj ET`;
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${5 + at * 2} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
        `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
      ];
    }),
  ];
  let file = '%PDF-1.4\n';
  const offsets = objects.map((object, at) => {
    const offset = file.length;
    file += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(offset).padStart(10, '0')} 00000 n \n`;
  });
  const size = objects.length + 1;
  return Buffer.from(
    `${file}xref\n0 ${size}\n0000000000 65535 f \n${offsets.join('')}trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF\n`,
  );
}

export async function toWord(): Promise<Buffer> {
  const toRow = (...texts: readonly string[]): TableRow =>
    new TableRow({ children: texts.map((text) => new TableCell({ children: [new Paragraph(text)] })) });
  const children = [
    new Paragraph({ text: 'Minutes', heading: HeadingLevel.HEADING_1 }),
    new Paragraph('We met & agreed.'),
    new Paragraph({ text: 'one', bullet: { level: 0 } }),
    new Paragraph({ text: 'two', bullet: { level: 0 } }),
    new Table({ rows: [toRow('Name', 'Days'), toRow('A | B', '3')] }),
  ];
  return Packer.toBuffer(new Document({ sections: [{ children }] }));
}

type Value = string | number | boolean | { readonly date: number };

export function toSheets(sheets: Readonly<Record<string, readonly (readonly Value[])[]>>): Uint8Array {
  const toCell = (value: Value): string => {
    if (typeof value === 'string') return `<c t="inlineStr"><is><t>${value}</t></is></c>`;
    if (typeof value === 'object') return `<c s="1"><v>${value.date}</v></c>`;
    return `<c t="${typeof value === 'boolean' ? 'b' : 'n'}"><v>${Number(value)}</v></c>`;
  };
  const entries = Object.entries(sheets);
  const parts = {
    'xl/workbook.xml': `<workbook xmlns:r="r"><sheets>${entries
      .map(([name], at) => `<sheet name="${name}" r:id="rId${at}"/>`)
      .join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships>${entries
      .map((_, at) => `<Relationship Id="rId${at}" Target="worksheets/sheet${at}.xml"/>`)
      .join('')}</Relationships>`,
    'xl/styles.xml': '<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>',
    ...Object.fromEntries(
      entries.map(([, rows], at) => [
        `xl/worksheets/sheet${at}.xml`,
        `<worksheet><sheetData>${rows.map((row) => `<row>${row.map(toCell).join('')}</row>`).join('')}</sheetData></worksheet>`,
      ]),
    ),
  };
  return zipSync(Object.fromEntries(Object.entries(parts).map(([name, xml]) => [name, Buffer.from(xml)])));
}

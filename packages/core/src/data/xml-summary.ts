/**
 * Summarises XML by its root element. The document is not parsed: nothing is validated, expanded or fetched. Pure.
 */
import { type DataSummary, type DataText, describeLines, summarized, toName } from './data-summary.ts';

export function summariseXml(data: DataText): DataSummary {
  const [, root] = /<([\p{L}_:][\p{L}\p{M}\p{N}_:.·-]*)/u.exec(withoutProlog(data.text)) ?? [];
  return summarized(
    `${root === undefined ? 'no element' : `root <${toName(root)}>`}; ${describeLines(data)}`,
  );
}

/** Comments may contain anything that looks like an element. */
function withoutProlog(text: string): string {
  let rest = text.trimStart();
  while (rest.startsWith('<!--') || rest.startsWith('<?')) {
    const end = rest.startsWith('<?') ? '?>' : '-->';
    const at = rest.indexOf(end);
    if (at === -1) return '';
    rest = rest.slice(at + end.length).trimStart();
  }
  return rest;
}

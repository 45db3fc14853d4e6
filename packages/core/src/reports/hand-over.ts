/**
 * The hand-over of a run as Markdown, for somebody who was not there: outcome, the main result in full, evidence, decisions,
 * questions, files and cost. Without the log. Pure.
 */
import { toCode, toEvidence, toInline, toQuestion, toTable } from './markdown.ts';
import type { Report } from './report.ts';

export function toHandOver(story: Report): string {
  const { title, summary, result, evidence, facts, files, integrity } = story;
  const parts = [
    `# ${toInline(title)}`,
    `**${OUTCOMES[summary.outcome]}** ${toInline(summary.sentence)}`,
    toTable(summary.numbers.map(({ name, value }) => [name, toInline(value)])),
    ...(result ? [`## Result: ${toCode(result.path)}`, toInner(result.text)] : []),
    ...toEvidence(evidence),
    ...toPart(
      'Decisions',
      summary.decisions,
      ({ from, to, reason }) => `- **${toInline(from)} → ${toInline(to)}**: ${toInline(reason)}`,
    ),
    ...(summary.questions.length === 0
      ? []
      : ['## Questions and answers', ...summary.questions.flatMap(toQuestion)]),
    ...toPart(
      'Your files',
      summary.changes.filter(({ path }) => !isResult(path, files)),
      toChange,
    ),
    ...toPart(
      'Results',
      summary.changes.filter(({ path }) => isResult(path, files)),
      toChange,
    ),
    '## Facts',
    toTable(facts.map(({ name, value }) => [name, toInline(value)])),
    `${integrity.isIntact ? '' : '**Warning:** '}${integrity.sentence}`,
  ];
  return `${parts.join('\n\n')}\n`;
}

export const OUTCOMES = { completed: 'Completed.', open: 'Not finished.', failed: 'Failed.' } as const;

/** A part with nothing in it is left out. */
function toPart<Item>(title: string, items: readonly Item[], toLine: (item: Item) => string): string[] {
  return items.length === 0 ? [] : [`## ${title}`, items.map(toLine).join('\n')];
}

function isResult(path: string, files: Report['files']): boolean {
  return files.some((file) => file.path === path);
}

function toChange({ path, added, removed }: Report['summary']['changes'][number]): string {
  const lines = [...(added > 0 ? [`+${added}`] : []), ...(removed > 0 ? [`−${removed}`] : [])];
  return `- ${toCode(path)} ${lines.join(' ')}`.trimEnd();
}

/** A document inside of another: its headings are below ours. Lines of code that look like headings stay. */
function toInner(text: string): string {
  let fence: string | undefined;
  const body = text.replace(/^\ufeff?---[ \t]*\r?\n(?:[\s\S]*?\r?\n)?---[ \t]*(?:\r?\n|$)/, '').trim();
  const lines = body.split('\n').map((line) => {
    const [, mark] = /^ {0,3}(`{3,}|~{3,})/.exec(line) ?? [];
    if (mark !== undefined) {
      if (fence === undefined) fence = mark;
      else if (mark.startsWith(fence)) fence = undefined;
    }
    return fence === undefined ? line.replace(/^ {0,3}(#{1,4})(?=\s)/, '##$1') : line;
  });
  // A fence that the document left open would swallow what follows.
  return fence === undefined ? lines.join('\n') : [...lines, fence].join('\n');
}

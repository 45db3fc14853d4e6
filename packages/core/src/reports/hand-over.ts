/**
 * The hand-over of a run as Markdown, for somebody who was not there: outcome, the main result in full, evidence, decisions,
 * questions, files and cost. Without the log. Pure.
 */
import { toCode, toEvidence, toInline, toIntegrity, toQuestion, toTable } from './markdown.ts';
import type { Report } from './report.ts';

export function toHandOver(story: Report): string {
  const { title, summary, result, facts, files, yourFiles, words } = story;
  const { t } = words;
  const parts = [
    `# ${toInline(title)}`,
    `**${t(`outcome.${summary.outcome}`)}** ${toInline(summary.sentence)}`,
    toTable(summary.numbers.map(({ name, value }) => [name, toInline(value)])),
    ...(result ? [`## ${t('title.result')}${toCode(result.path)}`, toInner(result.text)] : []),
    ...toEvidence(story, true),
    ...toPart(
      t('title.decisions'),
      summary.decisions,
      ({ from, to, reason }) => `- **${toInline(from)} → ${toInline(to)}**: ${toInline(reason)}`,
    ),
    ...(summary.questions.length === 0
      ? []
      : [`## ${t('title.questions')}`, ...summary.questions.flatMap((asked) => toQuestion(asked, words))]),
    ...toPart(t('title.yourFiles'), yourFiles, toChange),
    ...toPart(
      t('title.results'),
      files.flatMap(({ change }) => change ?? []),
      toChange,
    ),
    `## ${t('title.facts')}`,
    toTable(facts.map(({ name, value }) => [name, toInline(value)])),
    toIntegrity(story),
  ];
  return `${parts.join('\n\n')}\n`;
}

/** A part with nothing in it is left out. */
function toPart<Item>(title: string, items: readonly Item[], toLine: (item: Item) => string): string[] {
  return items.length === 0 ? [] : [`## ${title}`, items.map(toLine).join('\n')];
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

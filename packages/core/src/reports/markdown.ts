/**
 * A run as Markdown. Untrusted text is in fences and code spans that it cannot close, or escaped: it cannot format anything or
 * create links. Pure.
 */
import { toPlainText } from '@crewagent/protocol/plain-text';
import type { AskedQuestion, Entry } from './entries.ts';
import type { Chapter, Report } from './report.ts';
import type { Fact } from './text.ts';
import type { Words } from './words.ts';

export function toMarkdown(story: Report): string {
  const { words } = story;
  const { t } = words;
  const parts = [
    `# ${toInline(story.title)}`,
    toTable(story.facts.map(({ name, value }) => [name, toInline(value)])),
    `## ${t('title.progress')}`,
    story.nodes.map((node) => toProgress(node, words)).join('\n') || t('noNodes'),
    `## ${t('title.log')}`,
    ...story.chapters.flatMap((chapter) => toChapter(chapter, words)),
    ...toEvidence(story),
    `## ${t('title.written')}`,
    story.files.map(toFile).join('\n') || t('none'),
    `## ${t('title.variables')}`,
    story.variables.length > 0 ? toTable(story.variables.map(toVariable)) : t('none'),
    '---',
    toIntegrity(story),
  ];
  return `${parts.join('\n\n')}\n`;
}

export function toTable(rows: readonly (readonly [string, string])[]): string {
  return ['| | |', '|---|---|', ...rows.map(([name, value]) => `| ${name} | ${value} |`)].join('\n');
}

function toProgress({ id, title, type, status }: Report['nodes'][number], { t }: Words): string {
  const here = status === 'current' ? ` **${t('node.current')}**` : '';
  return `- [${status === 'done' ? 'x' : ' '}] ${toInline(title)} (${t(`nodeType.${type}`)}, ${toCode(id)})${here}`;
}

function toFile({ path, href }: Report['files'][number]): string {
  return href === undefined ? `- ${toCode(path)}` : `- [${toCode(path)}](${href})`;
}

function toVariable({ name, value }: Fact): [string, string] {
  return [toInline(name), toCode(value).replaceAll('|', '\\|')];
}

function toChapter({ title, nodeId, visit, entries }: Chapter, words: Words): string[] {
  const again = visit > 1 ? `, ${words.t('visit', { number: visit })}` : '';
  const id = nodeId === undefined ? '' : ` (${toCode(nodeId)}${again})`;
  return [`### ${toInline(title)}${id}`, ...entries.map((entry) => toParagraphs(entry, words))];
}

/** `isBrief`: without requests, sizes and hashes. */
export function toEvidence({ evidence, words: { t } }: Report, isBrief = false): string[] {
  if (!evidence) return [];
  return [
    `## ${t('title.evidence')}`,
    toInline(evidence.sentence),
    ...evidence.visits.flatMap(({ title, nodeId, visit, outcome, lines, details }) => [
      `### ${toInline(title)}${isBrief ? '' : ` (${toCode(nodeId)})`}${visit > 1 ? `, ${t('visit', { number: visit })}` : ''}: ${outcome}`,
      [...lines, ...(isBrief ? [] : details)].map((line) => `- ${toInline(line)}`).join('\n'),
    ]),
  ];
}

export function toIntegrity({ integrity: { isIntact, sentence }, words: { t } }: Report): string {
  return isIntact ? sentence : `**${t('tone.warning')}** ${sentence}`;
}

function toParagraphs(entry: Entry, words: Words): string {
  const { t } = words;
  const { time } = entry;
  switch (entry.kind) {
    case 'said': {
      const thoughts = entry.thoughts === '' ? [] : [toDetails(t('thoughts'), [toFence(entry.thoughts)])];
      return [`**${t(`who.${entry.who}`)}** ${time}`, ...thoughts, toFence(entry.text)].join('\n\n');
    }
    case 'tool': {
      const about = entry.about === '' ? '' : ` ${toCode(entry.about)}`;
      const answer = entry.answer === '' ? [] : [`${t('tool.answer')}:`, toFence(entry.answer)];
      return [
        `**${t('tool.title')}** ${time} ${toCode(entry.name)}${about}: ${toInline(entry.outcome)}`,
        toDetails(t('tool.both'), [`${t('tool.arguments')}:`, toFence(entry.arguments), ...answer]),
      ].join('\n\n');
    }
    case 'question':
      return [
        `**${t('question')}** ${time}`,
        ...entry.questions.flatMap((asked) => toQuestion(asked, words)),
      ].join('\n\n');
    case 'approval': {
      const note = entry.note === '' ? [] : [t('note', { note: toInline(entry.note) })];
      return [
        `**${t('approval')}** ${time} ${toInline(entry.sentence)}`,
        ...note,
        toFence(entry.preview.join('\n')),
      ].join('\n\n');
    }
    case 'line':
      return `${entry.tone === 'info' ? '' : `**${t(`tone.${entry.tone}`)}** `}${time} ${toInline(entry.text)}`;
  }
}

export function toQuestion({ body, prompt, options, answer }: AskedQuestion, { t }: Words): string[] {
  return [
    ...(body === '' ? [] : [toFence(body)]),
    toFence(prompt),
    ...(options.length > 0 ? [`${t('choices')}${options.map(toCode).join(', ')}`] : []),
    ...(answer === undefined ? [t('noAnswer')] : [`${t('tool.answer')}:`, toFence(answer)]),
  ];
}

function toDetails(summary: string, parts: readonly string[]): string {
  return [`<details><summary>${summary}</summary>`, ...parts, '</details>'].join('\n\n');
}

/** Longer than any run of backticks in the text, so that the text cannot close the fence. */
export function toFence(text: string): string {
  const fence = '`'.repeat(Math.max(3, longestTicks(text) + 1));
  return `${fence}text\n${text}\n${fence}`;
}

export function toCode(text: string): string {
  const line = toPlainText(text);
  const ticks = '`'.repeat(longestTicks(line) + 1);
  const pad = /^`|`$|^ .* $|^$/.test(line) ? ' ' : '';
  return `${ticks}${pad}${line}${pad}${ticks}`;
}

function longestTicks(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
}

/** One line with all Markdown syntax escaped; URLs do not become links. */
export function toInline(text: string): string {
  return toPlainText(text)
    .replace(/[\\`*_[\]<>&|~#!$]/g, '\\$&')
    .replace(/^(\s*)([-+=])/, '$1\\$2')
    .replace(/^(\s*\d+)([.)])/, '$1\\$2')
    .replace(/(https?|ftp|mailto|xmpp):/gi, '$1\\:')
    .replace(/www\./gi, 'www\\.')
    .replace(/@/g, '\\@');
}

/**
 * A run as Markdown. Untrusted text is in fences and code spans that it cannot close, or escaped: it cannot format anything or
 * create links. Pure.
 */
import { toPlainText } from '@crewagent/protocol/plain-text';
import type { AskedQuestion, Entry } from './entries.ts';
import type { Chapter, Report } from './report.ts';
import type { Fact } from './text.ts';

export function toMarkdown(story: Report): string {
  const parts = [
    `# ${toInline(story.title)}`,
    toTable(story.facts.map(({ name, value }) => [name, toInline(value)])),
    '## Progress',
    story.nodes.map(toProgress).join('\n') || 'This workflow has no nodes.',
    '## What happened',
    ...story.chapters.flatMap(toChapter),
    ...toEvidence(story.evidence),
    '## Files written',
    story.files.map(toFile).join('\n') || 'None.',
    '## Variables',
    story.variables.length > 0 ? toTable(story.variables.map(toVariable)) : 'None.',
    '---',
    `${story.integrity.isIntact ? '' : '**Warning:** '}${story.integrity.sentence}`,
  ];
  return `${parts.join('\n\n')}\n`;
}

export function toTable(rows: readonly (readonly [string, string])[]): string {
  return ['| | |', '|---|---|', ...rows.map(([name, value]) => `| ${name} | ${value} |`)].join('\n');
}

function toProgress({ id, title, type, status }: Report['nodes'][number]): string {
  const here = status === 'current' ? ' **current**' : '';
  return `- [${status === 'done' ? 'x' : ' '}] ${toInline(title)} (${type}, ${toCode(id)})${here}`;
}

function toFile({ path, href }: Report['files'][number]): string {
  return href === undefined ? `- ${toCode(path)}` : `- [${toCode(path)}](${href})`;
}

function toVariable({ name, value }: Fact): [string, string] {
  return [toInline(name), toCode(value).replaceAll('|', '\\|')];
}

function toChapter({ title, nodeId, visit, entries }: Chapter): string[] {
  const again = visit > 1 ? `, visit ${visit}` : '';
  const id = nodeId === undefined ? '' : ` (${toCode(nodeId)}${again})`;
  return [`### ${toInline(title)}${id}`, ...entries.map(toParagraphs)];
}

export function toEvidence(evidence: Report['evidence']): string[] {
  if (!evidence) return [];
  return [
    '## Evidence',
    toInline(evidence.sentence),
    ...evidence.visits.flatMap(({ title, nodeId, visit, outcome, lines }) => [
      `### ${toInline(title)} (${toCode(nodeId)}${visit > 1 ? `, visit ${visit}` : ''}): ${outcome}`,
      lines.map((line) => `- ${toInline(line)}`).join('\n'),
    ]),
  ];
}

function toParagraphs(entry: Entry): string {
  const { time } = entry;
  switch (entry.kind) {
    case 'said': {
      const thoughts = entry.thoughts === '' ? [] : [toDetails('Thoughts', [toFence(entry.thoughts)])];
      return [`**${entry.who}** ${time}`, ...thoughts, toFence(entry.text)].join('\n\n');
    }
    case 'tool': {
      const about = entry.about === '' ? '' : ` ${toCode(entry.about)}`;
      const answer = entry.answer === '' ? [] : ['Answer:', toFence(entry.answer)];
      return [
        `**Tool** ${time} ${toCode(entry.name)}${about}: ${toInline(entry.outcome)}`,
        toDetails('Arguments and answer', ['Arguments:', toFence(entry.arguments), ...answer]),
      ].join('\n\n');
    }
    case 'question':
      return [`**Question** ${time}`, ...entry.questions.flatMap(toQuestion)].join('\n\n');
    case 'approval': {
      const note = entry.note === '' ? [] : [`Note: ${toInline(entry.note)}`];
      return [
        `**Approval** ${time} ${toInline(entry.sentence)}`,
        ...note,
        toFence(entry.preview.join('\n')),
      ].join('\n\n');
    }
    case 'line':
      return `${entry.tone === 'info' ? '' : `**${entry.tone === 'error' ? 'Error' : 'Warning'}** `}${time} ${toInline(entry.text)}`;
  }
}

export function toQuestion({ body, prompt, options, answer }: AskedQuestion): string[] {
  return [
    ...(body === '' ? [] : [toFence(body)]),
    toFence(prompt),
    ...(options.length > 0 ? [`Choices: ${options.map(toCode).join(', ')}`] : []),
    ...(answer === undefined ? ['No answer yet.'] : ['Answer:', toFence(answer)]),
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

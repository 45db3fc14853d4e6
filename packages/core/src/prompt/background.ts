/**
 * Background for the model, sent once beside its rules: the date, the project, the user and their languages, the
 * purpose of the workflow, and in a thread the agent's menu. Constant while a Work is open, so that providers can
 * cache it.
 */

import type { MenuEntry } from '@crewagent/protocol/commands';
import { oneLine, quoteBlocks } from './quote-blocks.ts';

export interface Background {
  /** Local date as 2026-01-31. */
  readonly date: string;
  readonly projectName: string;
  readonly userName: string;
  /** Languages of replies and of documents; undefined if not set. */
  readonly language: string | undefined;
  readonly documentLanguage: string | undefined;
}

/** The workflow's `workflow.md`. */
export interface WorkflowFile {
  /** Path inside the package. */
  readonly path: string;
  /** Text without the frontmatter. */
  readonly body: string;
}

/** The model reads a longer body itself. */
const MAX_BODY_BYTES = 8_192;

export function composeBackground(
  { date, projectName, userName, language, documentLanguage }: Background,
  {
    workflow,
    otherWorkflows = [],
  }: {
    readonly workflow?: WorkflowFile | undefined;
    readonly otherWorkflows?: readonly string[] | undefined;
  },
): string {
  const facts = [
    `- date: ${date}`,
    `- project: ${oneLine(projectName)}`,
    ...(userName === '' ? [] : [`- user: ${oneLine(userName)}`]),
    ...(language === undefined ? [] : [`- language: ${oneLine(language)}`]),
    ...(documentLanguage === undefined ? [] : [`- document language: ${oneLine(documentLanguage)}`]),
    ...(otherWorkflows.length === 0 ? [] : [toOthers(otherWorkflows)]),
  ];
  return ['BACKGROUND', ...facts, ...toWorkflowLines(workflow)].join('\n');
}

/** The user starts them; the model can say which one comes next. */
function toOthers(names: readonly string[]): string {
  const shown = names.slice(0, MAX_ENTRIES).map(oneLine);
  return `- other workflows of the package, which the user can start: ${shown.join(', ')}`;
}

function toWorkflowLines(workflow: WorkflowFile | undefined): string[] {
  const body = workflow?.body.trim() ?? '';
  if (!workflow || body === '') return [];
  const bytes = Buffer.byteLength(body);
  const path = `@pkg/${workflow.path}`;
  if (bytes > MAX_BODY_BYTES) return [`- workflow: read ${path} (${bytes} bytes) before your first node`];
  return ['', `WORKFLOW_FILE ${path}`, quoteBlocks(body), 'END_WORKFLOW_FILE'];
}

const MAX_ENTRIES = 40;

/** The items the user can choose from; empty without a menu. */
export function composeMenu(entries: readonly MenuEntry[]): string {
  if (entries.length === 0) return '';
  const lines = entries.slice(0, MAX_ENTRIES).map(({ index, label, description }) => {
    const name = oneLine(label);
    const detail = oneLine(description);
    return `- ${index}. ${name}${detail === '' || detail === name ? '' : `: ${detail}`}`;
  });
  return [
    'MENU',
    ...lines,
    'The user chooses items; do not execute them yourself. If the user wants what an item does, offer it with ui_propose_command and stop.',
  ].join('\n');
}

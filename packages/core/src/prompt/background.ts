/**
 * What a model is told once, beside its rules: the day, the project, the person and their languages, what the workflow is for,
 * and in a talk what the agent's menu offers. It stays the same while a Work is open, so providers can keep it.
 */
import type { MenuEntry } from '@crewagent/protocol/commands';

export interface Background {
  /** As a person would write it: 2026-01-31. */
  readonly date: string;
  readonly projectName: string;
  readonly userName: string;
  /** In which the person is answered, and in which documents are written; undefined where nobody said. */
  readonly language: string | undefined;
  readonly documentLanguage: string | undefined;
}

/** The file that says what a workflow is for. */
export interface WorkflowFile {
  /** Inside the package. */
  readonly path: string;
  /** Without its frontmatter. */
  readonly body: string;
}

/** Longer ones are read by the model itself. */
const MAX_BODY_BYTES = 8_192;

export function composeBackground(
  { date, projectName, userName, language, documentLanguage }: Background,
  workflow: WorkflowFile | undefined,
): string {
  const facts = [
    `- date: ${date}`,
    `- project: ${oneLine(projectName)}`,
    ...(userName === '' ? [] : [`- person: ${oneLine(userName)}`]),
    ...(language === undefined ? [] : [`- language: ${oneLine(language)}`]),
    ...(documentLanguage === undefined ? [] : [`- language of documents: ${oneLine(documentLanguage)}`]),
  ];
  return ['BACKGROUND', ...facts, ...toWorkflowLines(workflow)].join('\n');
}

function toWorkflowLines(workflow: WorkflowFile | undefined): string[] {
  const body = workflow?.body.trim() ?? '';
  if (!workflow || body === '') return [];
  const bytes = Buffer.byteLength(body);
  const path = `@pkg/${workflow.path}`;
  if (bytes > MAX_BODY_BYTES) return [`- workflow: read ${path} (${bytes} bytes) before your first node`];
  return ['', `WORKFLOW_FILE ${path}`, body, 'END_WORKFLOW_FILE'];
}

const MAX_ENTRIES = 40;

/** What the person can choose from; empty where there is no menu. */
export function composeMenu(entries: readonly MenuEntry[]): string {
  if (entries.length === 0) return '';
  const lines = entries.slice(0, MAX_ENTRIES).map(({ index, label, description }) => {
    const name = oneLine(label);
    const words = oneLine(description);
    return `- ${index}. ${name}${words === '' || words === name ? '' : `: ${words}`}`;
  });
  return [
    'MENU',
    ...lines,
    'The person chooses items; you do not carry them out yourself. If they want what an item does, offer it with ui_propose_command and stop.',
  ].join('\n');
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/**
 * Loads what prompts contain about the person, the project and the workflow, from the settings, the machine and the
 * package.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Project } from '@crewagent/protocol/project';
import { errnoOf } from '../base/errno.ts';
import { findUserLanguage } from '../base/user-language.ts';
import { findUserName } from '../base/user-name.ts';
import type { Background, WorkflowFile } from '../prompt/background.ts';
import type { Store } from '../store/store.ts';
import { readFrontmatter } from '../workflow/frontmatter.ts';

export async function loadBackground(
  store: Store,
  project: Pick<Project, 'name'>,
  now: () => Date,
): Promise<Background> {
  const { person } = await store.settings.load();
  const language = person.language || findUserLanguage();
  return {
    date: toLocalDate(now()),
    projectName: project.name,
    userName: person.name || findUserName(),
    language,
    documentLanguage: person.documentLanguage || undefined,
  };
}

/** Local date as 2026-01-31. */
export function toLocalDate(at: Date): string {
  const parts = [at.getFullYear(), at.getMonth() + 1, at.getDate()];
  return parts.map((part) => String(part).padStart(2, '0')).join('-');
}

/** Undefined without a package, or if the file cannot be read. */
export async function readWorkflowFile(
  folder: string | undefined,
  path: string | undefined,
): Promise<WorkflowFile | undefined> {
  if (folder === undefined || path === undefined) return undefined;
  try {
    const text = readFileSync(join(folder, path), 'utf8');
    const parsed = await readFrontmatter(text);
    return parsed.ok ? { path, body: parsed.body } : undefined;
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return undefined;
  }
}

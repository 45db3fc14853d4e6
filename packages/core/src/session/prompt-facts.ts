/**
 * Loads what prompts contain about the person, the project and the workflow, from the settings, the machine and the
 * package.
 */

import type { Project } from '@crewagent/protocol/project';
import { findUserLanguage } from '../base/user-language.ts';
import { findUserName } from '../base/user-name.ts';
import type { PackageSeal } from '../mounts/package-seal.ts';
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

/** Undefined without a package. */
export async function readWorkflowFile(
  seal: PackageSeal | undefined,
  path: string | undefined,
): Promise<WorkflowFile | undefined> {
  if (seal === undefined || path === undefined) return undefined;
  const parsed = await readFrontmatter(seal.read(path).toString('utf8'));
  return parsed.ok ? { path, body: parsed.body } : undefined;
}

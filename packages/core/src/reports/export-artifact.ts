/** Exports one file that a run wrote, or any other text of its project, as a document. */
import type { WorkRecord } from '@crewagent/protocol/work';
import { CrewError } from '../base/crew-error.ts';
import type { DocumentFormat } from '../documents/export-document.ts';
import { requireFolder } from '../store/project-store.ts';
import type { Store } from '../store/store.ts';
import { EXPORT_STYLE } from './style.ts';

export interface ArtifactOptions {
  readonly store: Store;
  readonly format: DocumentFormat;
  /** A mount path, or a path from the project. */
  readonly path: string;
}

export async function exportArtifact(
  { projectId, tools }: Pick<WorkRecord, 'projectId' | 'tools'>,
  { store, format, path }: ArtifactOptions,
): Promise<string | Buffer> {
  // Loaded on use: both need the Markdown parser.
  const { exportDocument } = await import('../documents/export-document.ts');
  const { readDocument } = await import('../documents/read-document.ts');
  const { path: project } = await store.projects.read(projectId);
  await requireFolder(project);
  const mounted = path.startsWith('@') ? path : `@project/${path.replace(/^\.\//, '')}`;
  const document = await readDocument({ project, secretPatterns: tools.fs.secretPatterns }, mounted);
  if (!document)
    throw new CrewError('FILE_NOT_FOUND', `"${path}" is not a text file of the project. Check the path.`);
  return exportDocument(document, format, EXPORT_STYLE);
}

/** Files that steps consume and a person would add: placeholders in the temp project of a trial. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { StopPoint } from '../engine/stop-point.ts';
import { toPlaceholder } from '../llm/rehearsal/content.ts';
import { parseMountPath } from '../mounts/mount-path.ts';

/** Whether the run waited for files and now has them. Paths with variables or wildcards cannot be added. */
export async function provideFiles({ reason }: StopPoint, projectPath: string): Promise<boolean> {
  const paths = reason?.code === 'CONSUMED_FILE_MISSING' ? reason.details?.consumes : undefined;
  if (!Array.isArray(paths)) return false;
  const targets = paths.map(String).map(toSegments);
  if (targets.includes(undefined)) return false;
  for (const segments of targets) {
    const file = join(projectPath, ...(segments ?? []));
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, toPlaceholder(file, { title: 'Input', nodeId: 'none', read: [], said: [] }));
  }
  return true;
}

function toSegments(path: string): readonly string[] | undefined {
  const parsed = /[{}*?[\]]/.test(path) ? undefined : parseMountPath(path);
  return parsed?.ok && parsed.path.mount === '@project' ? parsed.path.segments : undefined;
}

/**
 * `fs.list`: the names in a folder, folders first shown with a `/`, bounded whatever the folder holds.
 */
import type { ToolResult } from '@crewagent/protocol/tools';
import * as z from '@crewagent/protocol/zod';
import { errnoOf } from '../base/errno.ts';
import { isIgnoredName } from '../base/ignored-names.ts';
import { formatMountPath, type MountPath } from '../mounts/mount-path.ts';
import type { MountedFs } from '../mounts/mounted-fs.ts';
import { SandboxViolation } from '../mounts/sandbox-violation.ts';
import { answer, defineTool, type Tool } from './tool.ts';
import { toFileFailure } from './tool-failure.ts';
import { answerMissing, type ToolPaths } from './tool-paths.ts';

const schema = z.strictObject({
  path: z.string().min(1).describe('A folder: @project/…, @pkg/… or @state/…'),
  depth: z.int().min(1).max(10).optional().describe('How many levels down; 1 if left out.'),
  includeHidden: z.boolean().optional().describe('Also names that begin with a dot.'),
});

type Arguments = z.infer<typeof schema>;

const MAX_ENTRIES = 200;
/** Names are sorted and cut down whenever this many have come together. */
const POOL = 4_000;

export function createFsList(files: MountedFs, paths: ToolPaths): Tool {
  return defineTool({
    name: 'fs.list',
    family: 'fs',
    description: 'Lists a folder. Folders end in "/". At most 200 names.',
    schema,
    async run(args, call) {
      const found = await paths.find(args.path, call, { isFolder: true });
      if (found.failure) return answerMissing(found);
      const { path } = found;
      const shown = formatMountPath(path);
      try {
        return answer(await listFolder(files, path, args, call.signal), { path: shown });
      } catch (error) {
        return answer(toFileFailure(error, shown), { path: shown });
      }
    },
  });
}

async function listFolder(
  files: MountedFs,
  path: MountPath,
  { depth = 1, includeHidden = false }: Arguments,
  signal: AbortSignal,
): Promise<ToolResult> {
  let names: string[] = [];
  let count = 0;
  const pending: { prefix: string; level: number }[] = [{ prefix: '', level: 1 }];
  for (let folder = pending.shift(); folder; folder = pending.shift()) {
    const { prefix, level } = folder;
    const segments = [...path.segments, ...prefix.split('/').filter(Boolean)];
    try {
      for await (const batch of files.entries({ mount: path.mount, segments })) {
        signal.throwIfAborted();
        for (const { name, kind } of batch) {
          if (!includeHidden && (name.startsWith('.') || isIgnoredName(name))) continue;
          count++;
          names.push(kind === 'folder' ? `${prefix}${name}/` : `${prefix}${name}`);
          if (names.length >= POOL) names = smallest(names);
          if (kind === 'folder' && level < depth && !isIgnoredName(name) && pending.length < POOL)
            pending.push({ prefix: `${prefix}${name}/`, level: level + 1 });
        }
      }
    } catch (error) {
      // A folder further down that may not be looked into is still listed by name.
      const isClosed = error instanceof SandboxViolation || errnoOf(error) !== undefined;
      if (level === 1 || !isClosed) throw error;
    }
  }
  const entries = smallest(names);
  const shown = formatMountPath(path);
  if (count <= MAX_ENTRIES) return { ok: true, path: shown, entries };
  return {
    ok: true,
    path: shown,
    entriesPreview: entries,
    truncated: true,
    total: count,
    hint: `There are ${count} entries; these are the first ${MAX_ENTRIES} by name. List a folder further down, or use fs.search with globs.`,
  };
}

function smallest(names: string[]): string[] {
  return names.sort((a, b) => (a < b ? -1 : 1)).slice(0, MAX_ENTRIES);
}

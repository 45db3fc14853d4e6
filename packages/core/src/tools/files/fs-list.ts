/**
 * `fs.list`: names in a folder, folders with a trailing `/`, at most `MAX_ENTRIES`.
 */
import type { ToolResult } from '@crewagent/protocol/tools';
import * as z from '@crewagent/protocol/zod';
import { isIgnoredName } from '../../base/ignored-names.ts';
import { formatMountPath, type MountPath } from '../../mounts/mount-path.ts';
import type { MountedFs } from '../../mounts/mounted-fs.ts';
import { isFileError } from '../../mounts/sandbox-violation.ts';
import { answer, defineTool, type Tool } from '../tool.ts';
import { toFileFailure } from '../tool-failure.ts';
import { answerMissing, type ToolPaths } from '../tool-paths.ts';

const schema = z.strictObject({
  path: z.string().check(z.minLength(1)),
  depth: z.optional(z.int().check(z.minimum(1), z.maximum(10))).check(z.describe('Default 1.')),
  includeHidden: z.optional(z.boolean()).check(z.describe('Include names that begin with a dot.')),
});

type Arguments = z.infer<typeof schema>;

const MAX_ENTRIES = 200;
/** Names are sorted and truncated whenever this many have been collected, which bounds memory. */
const POOL = 4_000;

export function createFsList(files: MountedFs, paths: ToolPaths): Tool {
  return defineTool({
    name: 'fs.list',
    family: 'fs',
    // Rarely needed, and sent with every request.
    advertised: () => z.omit(schema, { includeHidden: true }),
    description: 'Lists a folder.',
    schema: () => schema,
    async run(args, call) {
      const found = await paths.find(args.path, call, { isFolder: true });
      if (found.failure) return answerMissing(found);
      const { path } = found;
      const displayPath = formatMountPath(path);
      try {
        return answer(await listFolder(files, path, args, call.signal), { path: displayPath });
      } catch (error) {
        return answer(toFileFailure(error, displayPath), { path: displayPath });
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
      // A nested folder that cannot be read is still listed by name.
      const isUnreadable = isFileError(error);
      if (level === 1 || !isUnreadable) throw error;
    }
  }
  const entries = smallest(names);
  const displayPath = formatMountPath(path);
  if (count <= MAX_ENTRIES) return { ok: true, path: displayPath, entries };
  return {
    ok: true,
    path: displayPath,
    entriesPreview: entries,
    truncated: true,
    total: count,
    hint: `There are ${count} entries; these are the first ${MAX_ENTRIES} by name. List a subfolder, or use fs.search with globs.`,
  };
}

function smallest(names: string[]): string[] {
  return names.sort((a, b) => (a < b ? -1 : 1)).slice(0, MAX_ENTRIES);
}

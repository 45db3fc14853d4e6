/**
 * What became of a file that a run or a talk changed: from before it was first touched until now, or by one change. Reads
 * what the journal kept and the file itself, whoever has the run open; changes nothing.
 */
import type { FileDiff } from '@crewagent/protocol/api/file-diff';
import { CrewError } from '../base/crew-error.ts';
import { errnoOf } from '../base/errno.ts';
import { createMountedFs, type MountedFs } from '../mounts/mounted-fs.ts';
import { SandboxViolation } from '../mounts/sandbox-violation.ts';
import { createSecretCheck } from '../mounts/secret-files.ts';
import { readConversationRecord } from '../store/conversation-store.ts';
import { type KeptContent, readFileImages } from '../store/journal-images.ts';
import type { ConversationAddress, RunAddress, StoreLayout } from '../store/layout.ts';
import { readProject } from '../store/project-store.ts';
import { readRunRecord } from '../store/run-store.ts';
import { toMountPath } from '../store/undo.ts';
import { requireFolder } from './assemble-engine.ts';

export interface FileDiffQuery {
  /** As the list of changes names it. */
  readonly path: string;
  /** One change only; up to the file as it is now if left out. */
  readonly change?: number | undefined;
}

export async function showRunFileDiff(
  address: RunAddress,
  query: FileDiffQuery,
  store: StoreLayout,
): Promise<FileDiff> {
  const { projectId, tools } = await readRunRecord(store, address);
  return showFileDiff({ store, projectId, tools, journal: store.run(address).journal }, query);
}

/** Of the talk; each run of the conversation has its own. */
export async function showTalkFileDiff(
  address: ConversationAddress,
  query: FileDiffQuery,
  store: StoreLayout,
): Promise<FileDiff> {
  const { projectId, tools } = await readConversationRecord(store, address);
  return showFileDiff({ store, projectId, tools, journal: store.conversation(address).journal }, query);
}

interface Source {
  readonly store: StoreLayout;
  readonly projectId: string;
  readonly tools: { readonly fs: { readonly secretPatterns: readonly string[] } };
  /** The folder. */
  readonly journal: string;
}

const MAX_BYTES = 1024 * 1024;

async function showFileDiff(source: Source, { path, change }: FileDiffQuery): Promise<FileDiff> {
  const images = await readFileImages(source.journal, { path, changeId: change, maxBytes: MAX_BYTES });
  if (!images)
    throw new CrewError('FILE_NOT_FOUND', `No change of "${path}" is recorded; look at the list of changes.`);
  const after = change === undefined ? await readNow(source, path) : images.after;
  return { path, ...(await compare(path, images.before, after)) };
}

async function compare(
  path: string,
  before: KeptContent,
  after: KeptContent,
): Promise<Omit<FileDiff, 'path'>> {
  for (const { kind } of [before, after])
    if (kind === 'too-large' || kind === 'not-kept') return { reason: kind };
  const [old, next] = [bytesOf(before), bytesOf(after)];
  if (old === undefined ? next === undefined : next !== undefined && old.equals(next))
    return { reason: 'same' };
  // What compares texts is large, and most sessions never do.
  const { patchOf } = await import('../tools/unified-diff.ts');
  const patch = patchOf(path, old, next);
  return patch.ok ? { diff: patch.text } : { reason: patch.reason };
}

function bytesOf(content: KeptContent): Buffer | undefined {
  return content.kind === 'content' ? content.bytes : undefined;
}

/** The file as it is now, if it may be looked at. */
async function readNow({ store, projectId, tools }: Source, path: string): Promise<KeptContent> {
  const { path: project } = await readProject(store, projectId);
  await requireFolder(project);
  const files: MountedFs = createMountedFs(
    { project, pkg: undefined, state: undefined },
    createSecretCheck(tools.fs.secretPatterns),
  );
  try {
    return await files.withFile(toMountPath(path), async ({ handle, bytes }) =>
      bytes > MAX_BYTES ? { kind: 'too-large' } : { kind: 'content', bytes: await handle.readFile() },
    );
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EISDIR'].includes(errnoOf(error) ?? '')) return { kind: 'absent' };
    if (error instanceof SandboxViolation)
      throw new CrewError('PermissionDenied', `"${path}" ${error.message}.`);
    throw error;
  }
}

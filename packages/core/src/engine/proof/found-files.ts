/**
 * What a host changes with its own tools. The declared files of a node are kept as they are when its visit begins, also for a process
 * that continues the run. Before the node is left they are compared: what changed goes to the log with its diff, and to the journal.
 */
import type { EventOf, RunFact } from '@crewagent/protocol/events';
import { parseObject } from '@crewagent/protocol/json-object';
import type { VisitFacts } from '@crewagent/protocol/visit-facts';
import { ifPresent } from '../../base/errno.ts';
import { sha256Of } from '../../base/sha256.ts';
import { stagingName } from '../../base/staging.ts';
import { type MountPath, parseMountPath } from '../../mounts/mount-path.ts';
import { isFileError } from '../../mounts/sandbox-violation.ts';
import type { RecordedEntry } from '../../store/journal.ts';
import { diffText, shortenDiff } from '../../tools/files/change-text.ts';
import { decodeText } from '../../tools/files/text-file.ts';
import { toWildcards } from '../../tools/proof/baseline.ts';
import { createProofFiles, fillGlob, toFullPattern } from '../../tools/proof/proof-files.ts';
import type { StateGate } from '../../tools/state/state-gate.ts';
import { pathValuesOf, type WorkflowState } from '../../workflow/workflow-state.ts';
import type { EngineSources, PlannedNode } from '../engine-sources.ts';

export interface FoundFiles {
  /** Keeps the declared files of the node as they are; once per visit, later calls return at once. */
  keep(at: Place): Promise<void>;
  /** Records what changed since they were kept. `callId`: of the call that is to leave the node. */
  note(at: Place, callId: string): Promise<void>;
}

interface Place {
  readonly node: PlannedNode;
  readonly state: WorkflowState;
}

interface FoundDeps {
  readonly visit: VisitFacts;
  readonly gate: StateGate;
  emit(fact: RunFact): void;
  save(): Promise<void>;
}

type Found = EventOf<'files.found'>['files'][number];

/** By full mount path. */
type Kept = ReadonlyMap<string, RecordedEntry>;

const KEPT_PATH: MountPath = { mount: '@state', segments: ['host-files.json'] };
/** Of larger files only the hash is kept: there is no diff, and no undo. */
const MAX_FILE_BYTES = 262_144;
const MAX_KEPT_BYTES = 4 * 1_048_576;
const MAX_KEPT_FILES = 500;
/** Larger files are not compared. */
const MAX_READ_BYTES = 16 * 1_048_576;

export function createFoundFiles(
  { files, journal, record }: EngineSources,
  { visit, gate, emit, save }: FoundDeps,
): FoundFiles {
  const { artifactsDir } = record.tools;
  const proofFiles = createProofFiles(files, artifactsDir);
  let kept: { readonly key: string; readonly entries: Kept } | undefined;
  const keyOf = ({ node }: Place): string => `${node.id} ${visit.visit}`;

  const read = async (path: string): Promise<RecordedEntry | undefined> => {
    const parsed = parseMountPath(path);
    if (!parsed.ok) return undefined;
    try {
      const entry = await files.exact.read(parsed.path, { maxBytes: MAX_READ_BYTES });
      if (entry?.kind !== 'file' || !entry.content) return undefined;
      const { content, bytes, mode } = entry;
      return { kind: 'file', content, sha256: sha256Of(content), bytes, mode };
    } catch (error) {
      if (!isFileError(error)) throw error;
      return undefined;
    }
  };
  const readDeclared = async ({ node, state }: Place): Promise<Kept> => {
    const variables = pathValuesOf(state);
    const declared = [...node.outputs, ...(node.proof?.produces ?? []).map(({ path }) => path)];
    const patterns = [...declared.map((path) => toWildcards(fillGlob(path, variables))), '**'];
    const entries = new Map<string, RecordedEntry>();
    for (const pattern of patterns) {
      const full = pattern === '**' ? `@project/${artifactsDir}/**` : toFullPattern(pattern, artifactsDir);
      if (!full?.startsWith('@project/')) continue;
      for (const path of (await proofFiles.find(full)).paths) {
        if (entries.size >= MAX_KEPT_FILES) return entries;
        const entry = entries.has(path) ? undefined : await read(path);
        if (entry) entries.set(path, entry);
      }
    }
    return entries;
  };
  const store = async (key: string, entries: Kept): Promise<void> => {
    kept = { key, entries: withinLimits(entries) };
    const path = files.resolve(KEPT_PATH, 'write');
    await files.replace(path, toBytes(kept), { tempName: stagingName('writing') });
  };
  const load = async (at: Place): Promise<void> => {
    kept ??= await readKept();
    if (kept?.key !== keyOf(at)) await store(keyOf(at), await readDeclared(at));
  };
  const readKept = (): Promise<typeof kept> =>
    ifPresent(
      files.withFile(KEPT_PATH, async ({ handle }) => fromBytes((await handle.readFile()).toString('utf8'))),
    );

  return {
    keep: load,
    async note(at, callId) {
      await load(at);
      const before = kept?.entries ?? new Map<string, RecordedEntry>();
      const now = await readDeclared(at);
      const changes = [...new Set([...before.keys(), ...now.keys()])]
        .map((path) => ({ path, before: before.get(path), after: now.get(path) }))
        .filter((change) => change.before?.sha256 !== change.after?.sha256);
      if (changes.length === 0) return;
      const recorded = await journal.beginAll(changes, { callId, nodeId: at.node.id });
      for (const change of recorded) await change.done();
      const found: Found[] = [];
      for (const change of changes) found.push(await toFound(change));
      emit({ type: 'files.found', nodeId: at.node.id, visit: visit.visit, callId, files: found });
      await save();
      const folder = `@project/${artifactsDir}/`;
      const artifacts = changes.flatMap(({ path, after }) =>
        after && path.startsWith(folder) ? [path.slice('@project/'.length)] : [],
      );
      if (artifacts.length > 0) await gate.recordArtifacts(artifacts);
      for (const path of artifacts)
        emit({ type: 'artifact.written', path: `@project/${path}`, nodeId: at.node.id });
      await store(keyOf(at), now);
    },
  };
}

interface Change {
  readonly path: string;
  readonly before: RecordedEntry | undefined;
  readonly after: RecordedEntry | undefined;
}

async function toFound({ path, before, after }: Change): Promise<Found> {
  const kind = after ? (before ? 'changed' : 'created') : 'deleted';
  const texts = [before, after].map((entry) => entry?.content && Buffer.from(entry.content));
  const isText = [before, after].every((entry, index) => {
    const bytes = texts[index];
    return (
      !entry || (bytes !== undefined && bytes.length <= MAX_FILE_BYTES && decodeText(bytes) !== undefined)
    );
  });
  if (!isText) return { path, kind };
  const versions = { before: texts[0], after: texts[1] ?? Buffer.alloc(0) };
  return { path, kind, diff: shortenDiff(await diffText(path, versions, new AbortController().signal)) };
}

function withinLimits(entries: Kept): Kept {
  let total = 0;
  return new Map(
    [...entries].map(([path, entry]) => {
      const isKept = entry.bytes <= MAX_FILE_BYTES && total + entry.bytes <= MAX_KEPT_BYTES;
      if (isKept) total += entry.bytes;
      return [path, isKept ? entry : { ...entry, content: undefined }];
    }),
  );
}

function toBytes({ key, entries }: { readonly key: string; readonly entries: Kept }): Buffer {
  const listed = [...entries].map(([path, { content, sha256, bytes, mode }]) => ({
    path,
    sha256,
    bytes,
    mode,
    content: content && Buffer.from(content).toString('base64'),
  }));
  return Buffer.from(JSON.stringify({ key, files: listed }));
}

/** Written by us: what is damaged counts as not kept. */
function fromBytes(text: string): { readonly key: string; readonly entries: Kept } | undefined {
  const parsed = parseObject(text) as StoredKept | undefined;
  if (typeof parsed?.key !== 'string' || !Array.isArray(parsed.files)) return undefined;
  const files: StoredKept['files'] = parsed.files;
  const entries = files.map(({ path, content, ...facts }): [string, RecordedEntry] => [
    path,
    { kind: 'file', ...facts, content: content === undefined ? undefined : Buffer.from(content, 'base64') },
  ]);
  return { key: parsed.key, entries: new Map(entries) };
}

interface StoredKept {
  readonly key: string;
  readonly files: readonly {
    readonly path: string;
    readonly sha256: string;
    readonly bytes: number;
    readonly mode: number | undefined;
    readonly content?: string;
  }[];
}

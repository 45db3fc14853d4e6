/**
 * The beginning of a visit: the files that the node consumes are there, or a person is asked; the files that it must change are
 * recorded as they are. And its end without a result: a model that tries to leave again and again without progress.
 */
import type { ConsumedFile } from '@crewagent/protocol/proof';
import type { ToolFailure } from '@crewagent/protocol/tools';
import { fillVariables } from '../../mounts/path-template.ts';
import { recordBaseline } from '../../tools/proof/baseline.ts';
import { createProofFiles, type ProofFiles, toShown } from '../../tools/proof/proof-files.ts';
import { findUnread } from '../../tools/proof/required-reads.ts';
import { failure } from '../../tools/tool.ts';
import { pathValuesOf } from '../../workflow/workflow-state.ts';
import type { LiveRun } from '../live-run.ts';
import type { RunMemory } from '../run-memory.ts';
import type { RunPosition } from '../run-position.ts';
import { type StopPoint, waiting } from '../stop-point.ts';

/** Once per visit, before its first request; later calls return at once. The stop, if a person is needed first. */
export async function beginVisit(
  run: LiveRun,
  { at, isComplete }: RunPosition,
): Promise<StopPoint | undefined> {
  const { visit, history } = run.memory;
  const proof = at?.node.proof;
  if (at && !isComplete) await run.foundFiles?.keep(at);
  if (!at || !proof || isComplete || visit.nodeId !== at.node.id) return undefined;
  const { artifactsDir } = run.sources.record.tools;
  const files = createProofFiles(run.sources.files, artifactsDir);
  const variables = pathValuesOf(at.state);
  if (!visit.baseline) {
    const baseline = await recordBaseline(proof, variables, files, artifactsDir);
    const isRerun = run.sources.carryOver ? { isRerun: true as const } : {};
    if (baseline)
      run.emit({ type: 'visit.started', nodeId: at.node.id, visit: visit.visit, ...baseline, ...isRerun });
  }
  // The model has the node already: what it needed was there.
  if (history.nodeId === at.node.id && !history.isAnchorDue) return undefined;
  const missing = await findMissing(
    proof.consumes.filter(({ path }) => !visit.waivers.some(({ check }) => check === path)),
    (path) => files.find(fillVariables(path, variables)),
    files,
  );
  return missing.length === 0 ? undefined : askForFiles(run, at.node.title, missing);
}

async function findMissing(
  consumed: readonly ConsumedFile[],
  find: (path: string) => ReturnType<ProofFiles['find']>,
  files: ProofFiles,
): Promise<ConsumedFile[]> {
  const missing: ConsumedFile[] = [];
  for (const file of consumed.filter(({ isOptional }) => !isOptional)) {
    const found: boolean[] = [];
    for (const path of (await find(file.path)).paths) found.push((await files.read(path)).kind === 'file');
    if (!found.includes(true)) missing.push(file);
  }
  return missing;
}

/** Whatever the person replies is the reason to go on without the file; the model gets the same words. */
function askForFiles(
  { memory, emit }: LiveRun,
  title: string,
  missing: readonly ConsumedFile[],
): StopPoint | undefined {
  const { nodeId, visit, spoken, queued } = memory.visit;
  const words = queued.at(-1)?.text ?? spoken.at(-1)?.text;
  if (words !== undefined) {
    for (const { path } of missing)
      emit({ type: 'check.waived', nodeId, visit, check: path, reason: words.slice(0, MAX_REASON) });
    return undefined;
  }
  const paths = missing.map(({ path }) => path);
  const questions = missing.flatMap(({ ask }) => (ask === undefined ? [] : [ask]));
  const message = `"${title}" needs ${paths.join(', ')}, which ${paths.length === 1 ? 'does' : 'do'} not exist. ${
    questions.join(' ') ||
    'Add the file and resume, or reply with the path to use, or with why it is not needed.'
  }`;
  return waiting('CONSUMED_FILE_MISSING', message, { consumes: paths });
}

const MAX_REASON = 500;
const MAX_REFUSALS = 3;

/** After the last refused attempt of several that changed nothing. */
export function findProofStop({ visit: { refusal } }: RunMemory): StopPoint | undefined {
  if (!refusal || refusal.count < MAX_REFUSALS) return undefined;
  const { code, message, checks } = refusal;
  const missing = checks.map(({ id, kind, path, message: issue }) => ({ id, kind, path, message: issue }));
  return waiting(code === 'E_PERSON_NOT_HEARD' ? code : 'E_OUTPUT_INCOMPLETE', message, { missing });
}

/** Rejects a write in a visit whose required files were not read yet: what is written first would not depend on them. */
export async function checkWrite(run: LiveRun): Promise<ToolFailure | undefined> {
  const { at, isComplete } = await run.position();
  const proof = at?.node.proof;
  const { visit } = run.memory;
  if (isComplete || visit.nodeId !== at?.node.id || !proof?.consumes.some(({ mustRead }) => mustRead))
    return undefined;
  const files = createProofFiles(run.sources.files, run.sources.record.tools.artifactsDir);
  const unread = await findUnread({ proof, variables: pathValuesOf(at.state), visit, files });
  if (unread.length === 0) return undefined;
  const names = unread.slice(0, MAX_NAMED).map(toShown).join(', ');
  const more = unread.length > MAX_NAMED ? ` and ${unread.length - MAX_NAMED} more` : '';
  return failure(
    'E_INPUT_UNREAD',
    `Nothing was written: this step must read ${names}${more} first. Read it with fs.read, then write again.`,
    { unread: unread.slice(0, MAX_NAMED) },
  );
}

const MAX_NAMED = 10;

/**
 * Judges whether a node may be left: who was heard, what was read, the produced files, the commands. Reads, and never writes.
 */
import {
  type CheckKind,
  type CheckResult,
  deciderOf,
  isUnmet,
  type NodeProof,
  type ProducedFile,
  type Speaker,
  type VerifyCommand,
  WAIT_CHECK,
} from '@crewagent/protocol/proof';
import type { VisitFacts } from '@crewagent/protocol/visit-facts';
import { createWorkerRoom } from '../../base/worker/worker-room.ts';
import { fillVariables, type PathVariables, unfilledNames } from '../../mounts/path-template.ts';
import { isChanged } from './baseline.ts';
import { type ContentJob, type ContentResult, judgeContent, toChecks } from './judge-content.ts';
import { fillGlob, isGlob, type ProofFiles, toShown } from './proof-files.ts';
import { findRequiredReads } from './required-reads.ts';

interface JudgedNode {
  readonly proof: NodeProof;
  readonly variables: PathVariables;
  readonly visit: VisitFacts;
  readonly files: ProofFiles;
  readonly signal: AbortSignal;
  /** Undefined: commands are not run, and not judged. */
  runVerify?: ((command: VerifyCommand) => Promise<VerifyOutcome>) | undefined;
}

export interface JudgeOptions {
  /** Stops commands. */
  readonly signal?: AbortSignal | undefined;
  /** Default true. */
  readonly runsCommands?: boolean;
}

/** `reason`: why the command could not be run. */
export type VerifyOutcome =
  | { readonly exitCode: number; readonly output: string }
  | { readonly reason: string };

export interface Judgement {
  readonly checks: readonly CheckResult[];
  /** The produced files that exist. */
  readonly files: readonly { readonly path: string; readonly sha256: string; readonly bytes: number }[];
  /** Who decided to leave a node that waits. */
  readonly decidedBy?: 'person' | 'waiver' | Speaker;
}

export async function judgeNode(node: JudgedNode): Promise<Judgement> {
  const { proof, visit } = node;
  const files = new Map<string, Judgement['files'][number]>();
  const checks: CheckResult[] = [...judgeWait(proof, visit), ...(await judgeReads(node))];
  for (const produced of proof.produces) checks.push(...(await judgeProduced(produced, node, files)));
  const waived = checks.map((check) => withWaiver(check, visit));
  const { runVerify } = node;
  // A command says little about files that are not written yet.
  if (runVerify && !waived.some(isUnmet))
    for (const command of proof.verify)
      waived.push(withWaiver(toCommandCheck(command, await runVerify(command)), visit));
  return { checks: waived, files: [...files.values()], decidedBy: deciderOf(waived, visit.spoken) };
}

function withWaiver(check: CheckResult, { waivers }: VisitFacts): CheckResult {
  const isWaived = !check.ok && waivers.some((waiver) => waiver.check === check.id);
  return isWaived ? { ...check, isWaived: true } : check;
}

function judgeWait({ waits }: NodeProof, { spoken }: VisitFacts): CheckResult[] {
  if (!waits) return [];
  // A choice is made in words; letters, words and free text count alike, because the model reads them.
  const isHeard = spoken.some(({ kind }) => waits.for !== 'choice' || kind !== 'approval');
  const options = waits.options.map((option) => `[${option}]`).join(' ');
  const show = waits.for === 'choice' ? `show the menu${options && ` ${options}`}` : 'ask the user';
  const message = `Nobody has answered in this step yet: ${show}, then stop without a tool call and wait.`;
  return [{ id: WAIT_CHECK, kind: 'wait', ok: isHeard, message: isHeard ? '' : message }];
}

/** Read before the last write of this visit, so that writing again after the reading is enough. */
async function judgeReads({ visit, ...node }: JudgedNode): Promise<CheckResult[]> {
  const lastWrite = Math.max(0, ...visit.writes.values());
  const required = await findRequiredReads({ visit, ...node });
  return required.map(({ id, path }) => {
    const read = visit.reads.get(path);
    const ok = read !== undefined && (lastWrite === 0 || read < lastWrite);
    const message =
      read === undefined
        ? `${toShown(path)} was not read in this step: read it, then write what depends on it.`
        : `${toShown(path)} was read after the files were written: write them again with what it says.`;
    return { id, kind: 'read', path, ok, message: ok ? '' : message };
  });
}

async function judgeProduced(
  produced: ProducedFile,
  { variables, visit, files, signal }: JudgedNode,
  seen: Map<string, Judgement['files'][number]>,
): Promise<CheckResult[]> {
  const { path: id, count, mustChange } = produced;
  const filled = fillVariables(id, variables);
  const result = (kind: CheckKind, path: string | undefined, issue: string | undefined): CheckResult => ({
    id,
    kind,
    path,
    ok: issue === undefined,
    message: issue === undefined ? '' : `${toShown(path ?? filled)} ${issue}.`,
  });
  const unset = unfilledNames(filled);
  if (unset.length > 0)
    return [result('exists', undefined, `is not known: set the variable ${unset.join(', ')}`)];
  const { paths } = await files.find(fillGlob(id, variables));
  const results: CheckResult[] = [];
  let present = 0;
  for (const path of paths) {
    const file = await files.read(path);
    if (file.kind === 'absent') continue;
    if (file.kind === 'unreadable') {
      results.push(result('exists', path, file.reason));
      continue;
    }
    present++;
    seen.set(path, { path, sha256: file.sha256, bytes: file.bytes.length });
    if (mustChange)
      results.push(
        result(
          'change',
          path,
          isChanged(path, file.sha256, visit) ? undefined : 'has not changed since this step began',
        ),
      );
    for (const { kind, issue } of await checkContent(path, file.bytes, produced, signal))
      results.push(result(kind, path, issue));
  }
  const isCounted = present >= count.min && present <= count.max;
  if (!isCounted && results.some(({ kind, ok }) => kind === 'exists' && !ok)) return results;
  return [
    result('exists', paths.length === 1 ? paths[0] : undefined, isCounted ? undefined : toCountIssue()),
    ...results,
  ];

  function toCountIssue(): string {
    if (!isGlob(fillGlob(id, variables))) return 'does not exist';
    const wanted = count.min === count.max ? `exactly ${count.min}` : `${count.min} to ${count.max}`;
    return `matches ${present} file${present === 1 ? '' : 's'} and must match ${wanted}`;
  }
}

function toCommandCheck({ run, expect }: VerifyCommand, outcome: VerifyOutcome): CheckResult {
  const ok = 'exitCode' in outcome && outcome.exitCode === expect;
  const message =
    'reason' in outcome
      ? `"${run}" was not run: ${outcome.reason}.`
      : `"${run}" ended with ${outcome.exitCode} and must end with ${expect}. The end of its output:\n${outcome.output.trim().slice(-MAX_OUTPUT)}`;
  return { id: `verify: ${run}`, kind: 'verify', ok, message: ok ? '' : message };
}

const MAX_OUTPUT = 1_000;

const room = createWorkerRoom<{ judge: ContentJob }>(
  async () => (await import('./content-jobs.ts?thread')).default,
);

/** Smaller files are judged at once. Parsing costs more than reading text. */
const MAX_TEXT_BYTES = 262_144;
const MAX_PARSED_BYTES = 32_768;

/** Judges the content of a large file in a thread: a check never holds up the process, and a stop ends it. */
export async function checkContent(
  path: string,
  bytes: Buffer,
  wanted: ProducedFile,
  signal: AbortSignal,
): Promise<ContentResult[]> {
  const checks = toChecks(path, wanted);
  if (checks.length === 0) return [];
  if (bytes.length <= (wanted.schema ? MAX_PARSED_BYTES : MAX_TEXT_BYTES))
    return judgeContent(path, bytes, wanted);
  try {
    return await room.run('judge', { path, bytes, wanted }, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
    return checks.map(([kind]) => ({ kind, issue: 'was not checked, because the run was stopped' }));
  }
}

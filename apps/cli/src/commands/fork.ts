/** `crewagent fork`: a new run that goes on from an earlier point of another one. */
import { resolve } from 'node:path';
import { CrewError, type Forked, type ForkPlan, type ForkRequest, resolveRun } from '@crewagent/core';
import type { ForkAt } from '@crewagent/protocol/fork-points';
import { requireAnswers, toAnswers } from '../ask/accept-input.ts';
import { confirm } from '../ask/prompter.ts';
import { createAttendance } from '../attendance.ts';
import { type DriveRunOptions, driveRun } from '../drive/drive-run.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { openRuntime } from '../open-runtime.ts';
import { shortId, toShownPath } from '../print/describe-work.ts';
import { sayUnusedNames } from '../print/say-unused-names.ts';
import { say } from '../print/texts/say.ts';
import { withSignals } from '../signals.ts';
import { isInteractive, print, printDone, printError, sanitize, style, styleError } from '../terminal.ts';
import { type ModelOptions, toModelChoice } from './run-options.ts';

export interface ForkOptions extends ModelOptions {
  readonly at: string;
  readonly into?: string;
  readonly worktree?: string;
  readonly sameFolder?: true;
  readonly set: ReadonlyMap<string, string>;
  readonly answer?: string;
  readonly start?: true;
  readonly keepLost?: true;
  readonly yes?: true;
  readonly input: readonly string[];
  readonly json?: true;
  readonly plain?: true;
}

export async function fork(ref: string, options: ForkOptions): Promise<ExitCode> {
  return withSignals(async (watch) => {
    const attendance = createAttendance(options);
    const runtime = openRuntime(attendance);
    const address = await resolveRun(runtime.store, ref);
    await runtime.settleWork(address);
    const point = {
      run: address.workId,
      at: toAt(options.at),
      question: options.answer === undefined ? undefined : true,
    } as const;
    const plan = await runtime.planFork(point);
    const first = toFirst(plan, options);
    const target = await chooseTarget(plan, options);
    if (!target) return EXIT.interrupted;
    const forked = await runtime.forkRun({
      ...point,
      target,
      model: toModelChoice(options),
      variables: Object.fromEntries(options.set),
      onUnusedNames: sayUnusedNames,
      keepsLost: options.keepLost,
    });
    if (options.json) print(JSON.stringify({ ok: true, from: plan.workId, ...forked }));
    else sayForked(plan, forked, first !== undefined);
    if (!first) return EXIT.ok;
    const run = await runtime.openRun(forked.workId);
    return driveRun(runtime, run, { attendance, watch, first });
  });
}

/** `STEP` or `STEP:VISIT`. */
function toAt(text: string): ForkAt {
  const [, nodeId = text, visit] = /^(.+):(\d+)$/.exec(text) ?? [];
  return { nodeId, ...(visit === undefined ? {} : { visit: Math.max(1, Number(visit)) }) };
}

/** Checked before anything is made. */
function toFirst({ questions: [asked] }: ForkPlan, { answer, start }: ForkOptions): DriveRunOptions['first'] {
  if (answer !== undefined && asked) {
    const answers = requireAnswers(asked.questions, toAnswers(asked.questions, answer));
    return (work) => work.answer(answers);
  }
  return start ? (work) => work.resume() : undefined;
}

/** Undefined if the person declines. */
async function chooseTarget(
  { changes, folder }: ForkPlan,
  { into, worktree, sameFolder, yes, json }: ForkOptions,
): Promise<ForkRequest['target'] | undefined> {
  if (worktree !== undefined) return { kind: 'worktree', folder: resolve(worktree) };
  if (!sameFolder) return { kind: 'copy', folder: resolve(into ?? folder) };
  if (!json) {
    print(changes.length === 0 ? say('fork.noChanges') : say('fork.changes'));
    for (const { path, kind, isEdited } of changes) {
      const edited = isEdited ? style('yellow', `  ${say('fork.edited')}`) : '';
      print(`  ${say(`fork.${kind}`)} ${sanitize(path)}${edited}`);
    }
  }
  if (!yes) {
    if (!isInteractive() || json)
      throw new CrewError(
        'USAGE',
        'The files above would change in the folder of the project. Confirm with --yes.',
      );
    if (!(await confirm(`${say('fork.confirm')} [y/N] `))) {
      print(say('fork.declined'));
      return undefined;
    }
  }
  return { kind: 'same', seen: changes.map(({ path }) => path) };
}

function sayForked(
  { workId: from }: Pick<ForkPlan, 'workId'>,
  { workId, folder, nodeId, visit, changed, lost }: Forked,
  isStarted: boolean,
): void {
  const [id, original] = [shortId(workId), shortId(from)];
  const at = `${sanitize(nodeId, 100)}${visit > 1 ? ` (${visit})` : ''}`;
  printDone(say('fork.done', { original, at, id }));
  print(`  ${say('fork.folder', { path: sanitize(toShownPath(folder)) })}`);
  if (changed.length > 0) print(`  ${say('fork.restored', { paths: sanitize(changed.join(', '), 400) })}`);
  if (lost.length > 0)
    printError(`${styleError('yellow', '!')} ${say('fork.lost', { paths: sanitize(lost.join(', '), 400) })}`);
  if (!isStarted) print(`  ${say('fork.next', { command: `crewagent resume ${id}` })}`);
  print(`  ${say('fork.compare', { command: `crewagent compare ${original} ${id}` })}`);
}

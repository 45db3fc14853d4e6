/**
 * Advances a tree of Works: checks its files out, executes the commands that people sent, follows the turns that they begin until all wait
 * or have ended, and checks the files in. Whatever a worker was doing when it died, the next one continues.
 */
import type { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { CrewError, type OpenWork, type Runtime } from '@crewagent/core';
import type { RunEvent } from '@crewagent/protocol/events';
import type { PhaseReason } from '@crewagent/protocol/run';
import type { WorkRecord } from '@crewagent/protocol/work';
import { callWork, toSentError, toWorkState } from '@crewagent/server/team';
import { ConnectionLost, type Database } from '../database/database.ts';
import { currentCommand } from '../works/current-command.ts';
import type { ProjectFolder, Workspace, Workspaces } from '../workspaces/workspaces.ts';
import type { AdvanceQueue } from './advance-queue.ts';
import type { Claim, Claims } from './claims.ts';
import { createOrder, type Order } from './command-order.ts';
import {
  answerCommand,
  COMMANDS_CHANNEL,
  type Command,
  handOver,
  listOpenCommands,
  type Reply,
  takeCommand,
} from './commands.ts';
import { createOpenTree, type OpenTree } from './open-tree.ts';

export interface AdvanceParts {
  readonly database: Database;
  readonly runtime: Runtime;
  readonly claims: Claims;
  readonly queue: Pick<AdvanceQueue, 'add'>;
  readonly workspaces: Workspaces;
  /** The workspace of the current advance, which the store gives as the folder of its project. */
  readonly current: AsyncLocalStorage<ProjectFolder>;
  /** Aborted when this worker shall end: turns are stopped, and go on elsewhere. */
  readonly drain: AbortSignal;
  /** Receives every event of the open Works. */
  onEvent(event: RunEvent): void;
  onBug(id: string, error: unknown): void;
}

export async function advance(claim: Claim, parts: AdvanceParts): Promise<void> {
  const { claims, workspaces, current, drain } = parts;
  const { rootId } = claim;
  let workspace: Workspace | undefined;
  let isEnded = false;
  try {
    const opened = await workspaces.checkOut(rootId);
    workspace = opened;
    await current.run(opened, async () => {
      while (!isEnded && !drain.aborted) {
        const answers = await executeAll(claim, parts);
        await opened.checkIn(claim);
        for (const answer of answers) await answer();
        isEnded = !drain.aborted && (await claims.end(claim));
      }
    });
  } catch (error) {
    if (!isTransient(error)) {
      parts.onBug(`advance ${rootId}`, error);
      await refuseAll(claim, parts, error);
    }
  } finally {
    // A claim that is not dropped would be renewed as long as this worker lives.
    try {
      await workspace?.remove();
    } finally {
      if (!isEnded) await claims.drop(claim);
    }
    // Another worker goes on at once.
    if (drain.aborted) await parts.queue.add(rootId, `after-${claim.epoch}`);
  }
}

/** The lease or the database was lost: commands stay open, and whoever claims the tree next continues them. */
const TRANSIENT: ReadonlySet<string> = new Set(['RUN_LOCKED', 'DATABASE_UNAVAILABLE']);

function isTransient(error: unknown): boolean {
  return error instanceof ConnectionLost || (error instanceof CrewError && TRANSIENT.has(error.code));
}

/** Interrupted: a worker died after it had settled what another one left, and before it resumed. */
const CUT_OFF: ReadonlySet<string> = new Set([...TRANSIENT, 'interrupted']);

function wasCutOff(reason: { readonly code: string } | undefined): boolean {
  return reason !== undefined && CUT_OFF.has(reason.code);
}

const WAIT = 'LLM_WAIT_TOO_LONG';

/** A provider asked for a long wait, or a quota is spent: nobody waits for it in a slot. */
const WAITS: ReadonlySet<string> = new Set([WAIT, 'QUOTA_EXCEEDED']);

function findDue(reason: PhaseReason | undefined): string | undefined {
  const until = reason && WAITS.has(reason.code) ? reason.details?.until : undefined;
  return typeof until === 'string' ? until : undefined;
}

/** Whether a Work with a command that another worker had begun has something left to do. */
function mustGoOn({ phase, reason }: WorkRecord, { state }: Command): boolean {
  // A person may have resumed or stopped it meanwhile.
  const code = reason?.code ?? '';
  const wasHandedOver = state === 'handed-over' && (code === 'stopped' || WAITS.has(code));
  return phase === 'Running' || wasHandedOver || wasCutOff(reason);
}

type Answer = () => Promise<void>;

/**
 * Executes commands until none is left and nothing runs. Returns the answers to those that began a turn, for when the files are checked in:
 * if this worker dies before, another one finds them open.
 */
async function executeAll(claim: Claim, parts: AdvanceParts): Promise<Answer[]> {
  const { database, runtime, drain } = parts;
  const tree = createOpenTree(runtime, parts.onEvent);
  const turns = new Set<Promise<void>>();
  const execution: Execution = { claim, tree, answers: [], order: createOrder() };
  const begun = new Set<string>();
  let notify = (): void => undefined;
  let noticed = new Promise<void>((resolve) => {
    notify = resolve;
  });
  const unsubscribe = database.notices.subscribe(COMMANDS_CHANNEL, (rootId) => {
    if (rootId === undefined || rootId === claim.rootId) notify();
  });
  const stopAll = async (): Promise<void> => {
    // Whoever has the claim by now goes on.
    if (!(await handOver(database, claim))) return;
    for (const work of await tree.all()) if (work.isRunning) await work.stop();
  };
  const onDrain = (): void => {
    notify();
    void stopAll().catch((error: unknown) => parts.onBug('drain', error));
  };
  drain.addEventListener('abort', onDrain);
  try {
    while (!drain.aborted) {
      const commands = (await listOpenCommands(database, claim.rootId)).filter(
        ({ commandId }) => !begun.has(commandId),
      );
      for (const command of commands) {
        begun.add(command.commandId);
        const turn = executeOne(command, execution, parts).finally(() => turns.delete(turn));
        turns.add(turn);
      }
      if (turns.size === 0) break;
      await Promise.race([...turns, noticed]);
      noticed = new Promise<void>((resolve) => {
        notify = resolve;
      });
    }
    await Promise.all(turns);
    return execution.answers;
  } finally {
    unsubscribe();
    drain.removeEventListener('abort', onDrain);
    await tree.close();
  }
}

interface Execution {
  readonly claim: Claim;
  readonly tree: OpenTree;
  readonly answers: Answer[];
  readonly order: Order;
}

async function executeOne(
  command: Command,
  { claim, tree, answers, order }: Execution,
  { database, runtime, queue, drain, onBug }: AdvanceParts,
): Promise<void> {
  const { args, acceptAt, model } = command.call;
  const turn = order.add(command.workId);
  let answered: Promise<unknown> = Promise.resolve();
  const answer = (reply: Reply): void => {
    answered = answered.then(() => answerCommand(database, claim, command, reply));
  };
  try {
    await turn.mayBegin;
    const isContinued = hadBegun(command);
    if (isContinued) {
      const address = await runtime.store.works.find(command.workId);
      if (!mustGoOn(await runtime.store.works.read(address), command)) {
        answers.push(() => answerCommand(database, claim, command, { state: 'done' }));
        return;
      }
      await runtime.settleWork(address);
    } else await takeCommand(database, claim, command);
    const work = await tree.open(command.workId, model);
    // Too late to be stopped with the others; whoever is next begins it.
    if (drain.aborted) return;
    await untilReported(work);
    const onAccepted = (value: unknown): void =>
      answer({ state: 'accepted', value, work: toWorkState(work) });
    // JSON has no `undefined` in lists, and no command has a `null`.
    const withCallback = args.map((arg, at) =>
      at === acceptAt ? { ...(arg as object), onAccepted } : (arg ?? undefined),
    );
    const pending = isContinued
      ? order.resume(work)
      : currentCommand.run({ commandId: command.commandId, hasBegun: false }, () =>
          callWork(work, command.method, withCallback),
        );
    turn.begun();
    const value = await pending;
    const { reason } = work.state();
    // A turn that was stopped by the end of this worker goes on elsewhere.
    const dueAt = findDue(reason);
    if (drain.aborted && reason?.code === 'stopped') answer({ state: 'handed-over' });
    else if (dueAt !== undefined) {
      answer({ state: 'handed-over', dueAt });
      const delaySeconds = Math.max(1, Math.ceil((Date.parse(dueAt) - Date.now()) / 1_000));
      // A quota may be raised long before its period ends: recovery looks for what is due.
      if (reason?.code === WAIT)
        await queue.add(claim.rootId, `due-${command.commandId}-${claim.epoch}`, { delaySeconds });
    } else if (!wasCutOff(reason)) {
      const done: Reply = { state: 'done', value, work: toWorkState(work) };
      if (acceptAt >= 0) answers.push(() => answerCommand(database, claim, command, done));
      else answer(done);
    }
  } catch (error) {
    if (!isTransient(error)) answer({ state: 'failed', error: toSentError(error) });
  } finally {
    turn.begun();
  }
  await answered.catch((error: unknown) => onBug(`answer to ${command.commandId}`, error));
}

/** A watcher sees the end of a turn in the log a moment before the turn has ended, and may send a command at once. */
async function untilReported(work: OpenWork): Promise<void> {
  const end = Date.now() + REPORT_MS;
  while (work.isRunning && work.state().phase !== 'Running' && Date.now() < end)
    await wait(REPORT_MS / 1_000);
}

const REPORT_MS = 5_000;

/** Whether another worker had begun it: it was accepted, or its first event is stored. */
function hadBegun({ state, hasBegun }: Command): boolean {
  return state === 'taken' ? hasBegun : state !== 'queued';
}

/** The files could not be checked out or in: whoever waits for an answer gets the reason. */
async function refuseAll(claim: Claim, { database, drain }: AdvanceParts, error: unknown): Promise<void> {
  if (drain.aborted) return;
  for (const command of await listOpenCommands(database, claim.rootId))
    if (command.state === 'queued' || command.state === 'taken')
      await answerCommand(database, claim, command, { state: 'failed', error: toSentError(error) });
}

/**
 * A run whose calls another agent makes, the host: created or opened, driven call by call. It has the same lease, log and gate as
 * any run, and is always in one of two states: it waits for a call, or it has stopped.
 */
import { randomUUID } from 'node:crypto';
import type { Answers } from '@crewagent/protocol/answers';
import type { EventOf } from '@crewagent/protocol/events';
import type { RunModel } from '@crewagent/protocol/model';
import type { Speaker, WaiveRequest } from '@crewagent/protocol/proof';
import type { RunRecord } from '@crewagent/protocol/run';
import { CrewError } from '../../base/crew-error.ts';
import type { ExecutionEngine } from '../../engine/execution-engine.ts';
import type { StopPoint } from '../../engine/stop-point.ts';
import type { LLMAdapter } from '../../llm/llm-adapter.ts';
import type { MountedFs } from '../../mounts/mounted-fs.ts';
import { toBriefText, toLastResult, toNewsText } from './host-texts.ts';
import { createHostedModel, type HostedModel } from './hosted-model.ts';

export interface HostedRun {
  readonly record: RunRecord;
  readonly projectPath: string;
  readonly files: MountedFs;
  readonly engine: Pick<ExecutionEngine, 'memory' | 'pending' | 'subscribe'>;
  /** Of the innermost run that was called, or of the run itself. */
  readonly active: Pick<ExecutionEngine, 'memory'>;
  /** Resolves when the run waits for a call, or has stopped. */
  untilIdle(): Promise<HostedIdle>;
  /** The position with the text of its step, and what was said since. */
  brief(): string | undefined;
  /** What is new since the last call; undefined if the run waits for none. */
  news(): string | undefined;
  /** The result of the last call, where its answer came from a person. */
  lastResult(): string;
  /** Makes a call of a built-in tool. Throws RUN_NOT_READY if the run waits for no call. */
  call(name: string, args: object): Promise<HostedCall>;
  /** Answers the question that is pending. */
  answer(answers: Answers, speaker?: Speaker): Promise<HostedIdle>;
  say(text: string, speaker?: Speaker): Promise<HostedIdle>;
  waive(request: WaiveRequest): Promise<HostedIdle>;
  resume(): Promise<HostedIdle>;
  close(): Promise<void>;
}

export type HostedIdle =
  | { readonly kind: 'turn' }
  /** Also while a question is pending. */
  | { readonly kind: 'stopped'; readonly stop: StopPoint };

export interface HostedCall {
  /** Undefined if the call has not ended: it asked a question. */
  readonly ended: Pick<EventOf<'tool.ended'>, 'outcome' | 'content'> | undefined;
  /** What is new for the host: the next step, notes, what the person said. */
  readonly news: string;
  readonly idle: HostedIdle;
}

/** An open run, as far as it is driven here. */
interface OpenRun extends Pick<HostedRun, 'record' | 'projectPath' | 'files' | 'close'> {
  readonly engine: ExecutionEngine;
  /** Innermost first. */
  openRuns(): readonly { readonly engine: ExecutionEngine }[];
}

/** `open`: with this model and adapter. */
export async function hostRun(
  host: string,
  open: (model: RunModel, adapter: LLMAdapter) => Promise<OpenRun>,
): Promise<HostedRun> {
  const adapter = createHostedModel(host);
  const run = await open({ kind: 'host', name: host }, adapter);
  const { engine, record, projectPath, files } = run;
  let pass: Promise<StopPoint> | undefined;
  let stop = toStop(engine.memory);
  const untilIdle = async (): Promise<HostedIdle> => {
    while (pass) {
      const current = pass;
      await Promise.race([current, adapter.asked()]);
      if (adapter.waiting) return { kind: 'turn' };
      if (pass !== current || engine.isRunning) continue;
      pass = undefined;
      stop = await current;
    }
    return { kind: 'stopped', stop };
  };
  const begin = (next: Promise<StopPoint>): Promise<HostedIdle> => {
    pass = next;
    return untilIdle();
  };
  if (!engine.pending && engine.memory.phase !== 'Completed')
    await begin(engine.memory.turn === 0 ? engine.start() : engine.resume());
  return {
    record,
    projectPath,
    files,
    engine,
    get active() {
      return run.openRuns()[0]?.engine ?? engine;
    },
    untilIdle,
    brief: () => adapter.waiting && toBriefText(adapter.waiting),
    news: () => adapter.waiting && toNewsText(adapter.waiting),
    lastResult: () => (adapter.waiting ? toLastResult(adapter.waiting) : ''),
    call: (name, args) => makeCall({ name, args }, { engine, adapter, untilIdle }),
    answer: (answers, speaker) => begin(engine.answer(answers, speaker)),
    say(text, speaker) {
      // Sent with the next turn: the request that waits does not have it.
      return begin(
        engine.isRunning ? restart(engine, () => engine.say(text, speaker)) : engine.say(text, speaker),
      );
    },
    async waive(request) {
      if (engine.isRunning) await engine.stop();
      await engine.waive(request);
      return begin(engine.resume());
    },
    resume: () => (engine.isRunning ? untilIdle() : begin(engine.resume())),
    close: () => run.close(),
  };
}

/** Of a run that is not started here, because a question is pending or it is complete. */
function toStop({ phase, reason }: ExecutionEngine['memory']): StopPoint {
  return { phase: phase === 'Running' ? 'WaitingUser' : phase, ...(reason ? { reason } : {}) };
}

async function restart(engine: ExecutionEngine, next: () => Promise<StopPoint>): Promise<StopPoint> {
  await engine.stop();
  return next();
}

interface CallParts {
  readonly engine: ExecutionEngine;
  readonly adapter: HostedModel;
  untilIdle(): Promise<HostedIdle>;
}

async function makeCall(
  { name, args }: { readonly name: string; readonly args: object },
  { engine, adapter, untilIdle }: CallParts,
): Promise<HostedCall> {
  if ((await untilIdle()).kind !== 'turn')
    throw new CrewError('RUN_NOT_READY', 'The run has stopped, or waits for an answer.');
  const id = `host-${randomUUID()}`;
  let ended: HostedCall['ended'];
  const unsubscribe = engine.subscribe((event) => {
    if (event.type === 'tool.ended' && event.callId === id) ended = event;
  });
  try {
    adapter.reply({ id, name, arguments: JSON.stringify(args) });
    const next = await untilIdle();
    return { ended, news: adapter.waiting ? toNewsText(adapter.waiting) : '', idle: next };
  } finally {
    unsubscribe();
  }
}

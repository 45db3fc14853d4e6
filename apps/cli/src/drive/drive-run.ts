/**
 * Drives a run: `--input` texts answer first, then the person at the terminal.
 */
import {
  addCalledEvidence,
  findProofRule,
  type OpenRun,
  type OpenRunWork,
  type RunEvidence,
  type Runtime,
  type SessionStop,
  showWork,
  toAddress,
  toOpenWork,
} from '@crewagent/core';
import type { RunEvent } from '@crewagent/protocol/events';
import { createEvidence } from '@crewagent/protocol/evidence';
import { addToWorkStory } from '@crewagent/protocol/story/work-story';
import { speakForPerson, takeAccepted } from '../ask/accept-input.ts';
import type { createAsker } from '../ask/create-asker.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { createRunTexts } from '../print/work-texts.ts';
import { printError, sanitize } from '../terminal.ts';
import { type Drive, driveWork, type Responder, respond } from './drive-work.ts';

export interface DriveRunOptions
  extends Pick<Drive<OpenRunWork>, 'attendance' | 'watch'>,
    Pick<Responder, 'allowExecutable'> {
  /** A run that was just created: its first events are printed, too. */
  readonly isNew?: boolean;
  /** The first command; undefined to answer the pending input first. */
  readonly first: ((work: OpenRunWork) => Promise<SessionStop>) | undefined;
  readonly proof?: ProofOptions | undefined;
}

export interface ProofOptions {
  /** Speak for the person, with fixed words, where the run waits for one. */
  readonly continueWaiting?: true;
  /** Exit with 5 if the run is complete and not proved. */
  readonly requireProof?: true;
}

export async function driveRun(
  runtime: Runtime,
  run: OpenRun,
  { attendance, watch, isNew, first, allowExecutable, proof = {} }: DriveRunOptions,
): Promise<ExitCode> {
  const { store } = runtime;
  const address = toAddress(run.record);
  const { signal } = watch;
  const fold = createEvidence(address.workId);
  let evidence: RunEvidence | undefined;
  const code = await driveWork(toOpenWork(run), {
    attendance,
    watch,
    async open() {
      const initialEvents: RunEvent[] = [];
      await store.works.readLog(address, (event) => {
        fold.add(event);
        if (isNew) initialEvents.push(event);
      });
      const { view } = await showWork(store, address);
      run.engine.subscribe((event) => {
        if (event.runId === address.workId) fold.add(event);
        addToWorkStory(view, event);
      });
      return { texts: createRunTexts(run, view, () => evidence), initialEvents };
    },
    async drive(driven) {
      const { work } = driven;
      signal.addEventListener('abort', () => void work.stop(), { once: true });
      const ask = attendance.isAsking ? await loadAsker(runtime, address.projectId, signal) : undefined;
      const stop = first && !signal.aborted ? await first(work) : await work.stop();
      const takeInput = (at: SessionStop) => takeAccepted(at, work.pending, attendance.remaining);
      const speak = proof.continueWaiting && !ask ? createSpeaker(run) : undefined;
      const outcome = await respond(driven, stop, { takeInput, ask, allowExecutable, speak });
      evidence = await addCalledEvidence(store, address, fold.sheet());
      return outcome;
    },
  });
  if (code !== EXIT.ok || evidence?.isProved) return code;
  const rule = findProofRule(await store.policy.read());
  if (rule) printError(`! ${sanitize(rule.message)}`);
  return rule || proof.requireProof ? EXIT.unproved : code;
}

const MAX_WORDS = 3;

/** Says the same words at most three times at one visit of a node: a model that then still waits needs a person. */
function createSpeaker({ engine }: OpenRun): Responder['speak'] {
  let last = '';
  let count = 0;
  return (stop, pending) => {
    const { nodeId, visit } = engine.memory.visit;
    const at = `${nodeId} ${visit}`;
    count = at === last ? count + 1 : 1;
    last = at;
    return count > MAX_WORDS ? undefined : speakForPerson(stop, pending);
  };
}

/** Only runs at a terminal need it. */
async function loadAsker(...given: Parameters<typeof createAsker>): Promise<ReturnType<typeof createAsker>> {
  return (await import('../ask/create-asker.ts')).createAsker(...given);
}

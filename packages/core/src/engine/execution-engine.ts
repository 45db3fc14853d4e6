/** ExecutionEngine: accepts a person's commands for one run or thread and runs its loop until it is idle. */
import type { RunEvent, RunFact } from '@crewagent/protocol/events';
import type { ArtifactChange } from '../tools/state/change-artifacts.ts';
import { abandonCall, findCall, leaveNode, reopenCall, toCallerStop } from './calls/call-workflow.ts';
import type { CalledEngine, SkippedCall } from './calls/called-run.ts';
import { type EditedState, editState, type Rewind, rewind } from './edit-state.ts';
import type { EngineSources } from './engine-sources.ts';
import type { FinishUpgrade } from './finish-upgrade.ts';
import { type LiveRun, openLiveRun } from './live-run.ts';
import { createPersonCommands, type PersonCommands } from './person-commands.ts';
import { isUnanswered } from './run-memory.ts';
import { createPasses } from './run-passes.ts';
import type { StopPoint } from './stop-point.ts';

export interface ExecutionEngine extends CalledEngine, PersonCommands {
  /** Context size of the model. */
  readonly contextTokens: number;
  /** A person's change of the state document; rejected during a turn, and by the gate. */
  editState(text: string, ifMatchSha256: string): Promise<EditedState>;
  /** Resets the run to a node that it has visited; rejected during a turn. A resume then repeats the node. */
  rewind(request: Rewind): Promise<StopPoint>;
  /** Changes the list of artifacts after an undo or redo; no-op in a thread. */
  changeArtifacts(change: ArtifactChange): Promise<void>;
  /** Completes a move of the run to the version of its package that it was opened with. */
  finishUpgrade(upgrade: FinishUpgrade): Promise<void>;
  /** Opens the run of the current call, so that its pending question or approval is known; no-op without a call. */
  openCall(): Promise<void>;
  /** Continues without the called workflow. */
  skipCall(skipped: SkippedCall): Promise<StopPoint>;
  /** For facts that do not come from the loop: that the run was created, that changes were undone. */
  emit(fact: RunFact): RunEvent;
  /** Stops, and closes the log. */
  close(): Promise<void>;
}

export async function openExecutionEngine(sources: EngineSources): Promise<ExecutionEngine> {
  const run = await openLiveRun(sources);
  const passes = createPasses(run);
  const { memory } = run;

  const engine: ExecutionEngine = {
    ...createPersonCommands(run, passes),
    memory,
    contextTokens: sources.adapter.traits.contextTokens,
    get isRunning() {
      return passes.current !== undefined;
    },
    get pending() {
      if (run.child) return run.child.engine.pending;
      return isUnanswered(memory.pending) ? memory.pending : undefined;
    },
    subscribe: (listener) => run.subscribe(listener),
    start() {
      passes.requireIdle('it is running already');
      return passes.start({ intent: 'start' });
    },
    resume() {
      passes.requireIdle('it is running already');
      return passes.start({ intent: 'resume' });
    },
    continueRun: () => passes.current ?? passes.start(),
    async editState(text, ifMatchSha256) {
      passes.requireIdle(TURN_IN_PROGRESS);
      const edited = await editState(run, text, ifMatchSha256);
      await settleCall(run);
      return edited;
    },
    async rewind(request) {
      passes.requireIdle(TURN_IN_PROGRESS);
      return rewind(run, request);
    },
    async changeArtifacts(change) {
      await run.gate?.changeArtifacts(change);
    },
    async finishUpgrade(upgrade) {
      passes.requireIdle(TURN_IN_PROGRESS);
      const { finishUpgrade } = await import('./finish-upgrade.ts');
      await finishUpgrade(run, upgrade);
    },
    get calledId() {
      return run.child?.childId;
    },
    openCall: () => reopenCall(run),
    async leaveCall(skipped) {
      passes.requireIdle(TURN_IN_PROGRESS);
      await leaveCallNode(run, skipped);
    },
    async skipCall(skipped) {
      await engine.leaveCall(skipped);
      return passes.start({ intent: 'resume' });
    },
    async followCall() {
      if (!passes.current) await followCall(run);
    },
    stop: () => passes.stop(),
    async stopQuestion(callId) {
      if (passes.current || !run.child) return passes.stopQuestion(callId);
      await run.child.engine.stopQuestion(callId);
      await followCall(run);
      return passes.stop();
    },
    async saveInput() {
      await run.saveInput();
      await run.child?.engine.saveInput();
      // Also wait until the record says Running.
      await passes.started;
    },
    emit: (fact) => run.emit(fact),
    async close() {
      try {
        await passes.stop();
      } finally {
        try {
          await run.closeChild();
        } finally {
          await run.log.close();
        }
      }
    },
  };
  return engine;
}

const TURN_IN_PROGRESS = 'a turn is in progress; stop it first';

/** Leaves the node of the innermost call, or of the call at `skipped.nodeId`. */
async function leaveCallNode(run: LiveRun, skipped: SkippedCall): Promise<void> {
  run.resetForRun();
  const called = run.child?.engine;
  const isOwn = called?.calledId === undefined || run.memory.call?.nodeId === skipped.nodeId;
  await (called && !isOwn ? called.leaveCall(skipped) : leaveNode(run, skipped.to));
}

/** Closes the call if an edit by a person moved the run to another node. */
async function settleCall(run: LiveRun): Promise<void> {
  run.resetForRun();
  const position = await run.position();
  const call = await findCall(run, position);
  if (!call && run.child) await abandonCall(run);
}

/** After a change of the called run, its caller takes over its stop. */
async function followCall(run: LiveRun): Promise<void> {
  await run.child?.engine.followCall();
  const { at } = await run.position();
  const called = run.child?.engine.memory;
  if (!called || !at || called.phase === 'Running') return;
  const { phase, reason } = called;
  const stop = toCallerStop({ phase, ...(reason ? { reason } : {}) }, at.node);
  run.emit({ type: 'phase.changed', ...stop });
  await run.sources.savePhase(stop.phase, stop.reason);
}

/**
 * Completes the move of a run to another version of its package, whose record names that version already: says so in the log, starts
 * the step again where it must, and adds the variables that the new version has. Each part can be repeated, since a process may die
 * between them.
 */
import type { EventOf } from '@crewagent/protocol/events';
import type { RunUpgrade } from '@crewagent/protocol/run';
import { CrewError } from '../base/crew-error.ts';
import { DamagedState } from '../tools/state/state-file.ts';
import { type LiveRun, noteOutsideChanges } from './live-run.ts';
import { waiting } from './stop-point.ts';
import { endOpenCalls } from './tool-round.ts';

export interface FinishUpgrade {
  readonly upgrade: RunUpgrade;
  readonly package: EventOf<'run.upgraded'>['package'];
  readonly workflow: EventOf<'run.upgraded'>['workflow'];
}

export async function finishUpgrade(
  run: LiveRun,
  { upgrade, workflow, package: to }: FinishUpgrade,
): Promise<void> {
  const { gate, memory, sources } = run;
  const { plan } = sources;
  if (!gate || !plan) return;
  run.resetForRun();
  const { from, changes, stale, restartAt, variables } = upgrade;
  if (memory.packageHash !== to.hash) {
    const nodes = [...plan.nodes.values()].map(({ id, title: shown, type }) => ({ id, title: shown, type }));
    run.emit({ type: 'run.upgraded', from, package: to, workflow, nodes, changes, stale });
    await run.saveInput();
  }
  try {
    if (restartAt !== undefined) await restart(run, restartAt);
    await noteOutsideChanges(run);
    await gate.amend(async (state) => {
      const missing = Object.entries(variables).filter(([name]) => !Object.hasOwn(state.variables, name));
      return missing.length > 0 ? { update: { variables: { set: Object.fromEntries(missing) } } } : undefined;
    });
  } catch (error) {
    if (error instanceof DamagedState) throw new CrewError('STATE_DAMAGED', error.message, { cause: error });
    throw error;
  }
  await run.log.sync();
}

/** Like a rewind, except that the node where the run was need not exist any more. */
async function restart(run: LiveRun, nodeId: string): Promise<void> {
  endOpenCalls(run, 'The user moved the run to another version of the workflow before this call was made.');
  await run.gate?.rewind(nodeId);
  const stop = waiting('rewound', `The run was reset to "${nodeId}"; resume it to continue from there.`, {
    nodeId,
  });
  run.emit({ type: 'phase.changed', ...stop });
  await run.log.sync();
  await run.sources.savePhase(stop.phase, stop.reason);
}

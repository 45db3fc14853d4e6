/** Waives checks of the current node on behalf of a person; nobody else can. The model is told, and the run continues. */
import { posix } from 'node:path';
import { isUnmet, WAIT_CHECK, type WaiveRequest } from '@crewagent/protocol/proof';
import { CrewError } from '../../base/crew-error.ts';
import { fillVariables } from '../../mounts/path-template.ts';
import { pathValuesOf } from '../../workflow/workflow-state.ts';
import type { LiveRun } from '../live-run.ts';

/** Emits the waivers; the caller continues the run. Throws USAGE if nothing of that name is missing. */
export async function waiveChecks(run: LiveRun, { check, reason }: WaiveRequest): Promise<void> {
  if (reason.trim() === '') throw new CrewError('USAGE', 'Give a reason for the waiver.');
  const { at, isComplete } = await run.position();
  const { visit } = run.memory;
  if (!at || isComplete || visit.nodeId !== at.node.id)
    throw new CrewError('RUN_NOT_READY', 'The run is at no step whose checks could be waived.');
  const missing = await findMissing(run, at);
  const values = pathValuesOf(at.state);
  const isMeant = (id: string): boolean => {
    const filled = fillVariables(id, values);
    return check === undefined || [id, filled, `@project/${filled}`, posix.basename(filled)].includes(check);
  };
  const waived = missing.filter(isMeant);
  if (waived.length === 0)
    throw new CrewError(
      'USAGE',
      missing.length === 0
        ? 'Nothing is missing in this step.'
        : `"${check}" is not missing in this step. Missing: ${missing.join(', ')}.`,
    );
  for (const id of waived)
    run.emit({ type: 'check.waived', nodeId: at.node.id, visit: visit.visit, check: id, reason });
  const content = `The user waived ${waived.map(toWords).join(', ')} in this step: ${reason}`;
  run.emit({ type: 'input.queued', purpose: 'directive', content, label: content });
}

async function findMissing(run: LiveRun, { node, state }: NonNullable<Position>): Promise<string[]> {
  const judgement = await run.gate?.judge?.(node.id, state, { runsCommands: false });
  const unmet = judgement?.checks.filter(isUnmet).map(({ id }) => id) ?? [];
  const { waivers } = run.memory.visit;
  // Commands are not run for a waiver, and asked-for files are judged before the first request: neither is among the checks.
  const isStarted = run.memory.history.nodeId === node.id;
  const others = [
    ...(node.proof?.verify ?? []).map(({ run: line }) => `verify: ${line}`),
    ...(isStarted ? [] : (node.proof?.consumes ?? []).map(({ path }) => path)),
  ].filter((id) => !waivers.some((waiver) => waiver.check === id));
  return [...new Set([...unmet, ...others])];
}

type Position = Awaited<ReturnType<LiveRun['position']>>['at'];

function toWords(id: string): string {
  return id === WAIT_CHECK ? 'waiting for an answer' : id;
}

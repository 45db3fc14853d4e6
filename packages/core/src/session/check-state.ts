/**
 * What the gate would say of a state document, for a person who is writing one. Takes no lock and changes nothing, not even
 * the log.
 */
import type { StateVerdict } from '@crewagent/protocol/api/works';
import { type Consent, foldConsent } from '../engine/consent.ts';
import { readState } from '../engine/live-run.ts';
import { createMountedFs } from '../mounts/mounted-fs.ts';
import { createSecretCheck } from '../mounts/secret-files.ts';
import type { RunAddress } from '../store/disk/layout.ts';
import { readProject } from '../store/disk/project-store.ts';
import { readRunLog } from '../store/disk/run-log.ts';
import { readWork } from '../store/disk/work-record.ts';
import { createStateGate } from '../tools/state-gate.ts';
import { isComplete } from '../workflow/transition.ts';
import { loadInstalled, resolveWorkflow } from './load-workflow.ts';
import type { LookOptions } from './show-context.ts';

export async function checkState(
  address: RunAddress,
  text: string,
  { store, context, now }: LookOptions,
): Promise<StateVerdict> {
  const record = await readWork(store, address);
  const { path: project } = await readProject(store, record.projectId);
  const { graph, nodes } = resolveWorkflow(
    await loadInstalled(record.packageHash, store, context),
    record.workflowRef,
  );
  const paths = store.work(address);
  let hasConsent = false;
  const gate = createStateGate({
    files: createMountedFs(
      { project, pkg: store.packageFolder(record.packageHash), state: paths.state },
      createSecretCheck(record.tools.fs.secretPatterns),
    ),
    graph,
    now,
    strictOutputs: record.tools.strictOutputs,
    outputsOf: (id) => nodes.get(id)?.outputs ?? [],
    hasConsent: () => hasConsent,
    wasMissingReported: () => true,
    onFact: () => undefined,
  });
  const base = await readState(gate);
  if (isComplete(base.state, graph)) hasConsent = await wasAllowed(paths.log);
  const judged = await gate.judge(base, text, { isPerson: true });
  if (judged.ok) {
    const { from, to, notes } = judged.change;
    return { ok: true, from, to, notes: [...notes] };
  }
  const { code, message, details } = judged.error;
  return { ok: false, error: { code, message, ...(details ? { details: { ...details } } : {}) } };
}

/** A person allowed one change, and it was not made yet. */
async function wasAllowed(log: string): Promise<boolean> {
  let consent: Consent = 'none';
  await readRunLog(log, (event) => {
    consent = foldConsent(consent, event);
  });
  return (consent as Consent) !== 'none';
}

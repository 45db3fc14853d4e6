/**
 * Validates an edited state document for a person, as the gate would. Takes no lock and changes nothing, not even the
 * log.
 */

import type { StateVerdict } from '@crewagent/protocol/api/works-inspector';
import type { RunEvent } from '@crewagent/protocol/events';
import { type Consent, foldConsent } from '../engine/consent.ts';
import { readState } from '../engine/run-position.ts';
import { createMountedFs } from '../mounts/mounted-fs.ts';
import { createSecretCheck } from '../mounts/sensitive/secret-files.ts';
import type { RunAddress } from '../store/work-address.ts';
import { createStateGate } from '../tools/state/state-gate.ts';
import { isComplete } from '../workflow/transition.ts';
import { loadInstalled, resolveWorkflow } from './load-workflow.ts';
import type { LookOptions } from './show-context.ts';

export async function checkState(
  address: RunAddress,
  text: string,
  { store, context, now }: LookOptions,
): Promise<StateVerdict> {
  const record = await store.works.read(address);
  const { path: project } = await store.projects.read(record.projectId);
  const { graph, nodes } = resolveWorkflow(
    await loadInstalled(record.packageHash, store, context),
    record.workflowRef,
  );
  let hasConsent = false;
  const gate = createStateGate({
    document: store.works.openState(address),
    files: createMountedFs(
      {
        project,
        pkg: store.packages.folder(record.packageHash),
        state: await store.works.stateFolder(address),
      },
      createSecretCheck(record.tools.fs.secretPatterns),
    ),
    graph,
    now,
    strictOutputs: record.tools.strictOutputs,
    resultsOf: (id) => ({ outputs: nodes.get(id)?.outputs ?? [], setsVariables: [] }),
    wasWritten: () => true,
    hasConsent: () => hasConsent,
    wasMissingReported: () => true,
    onFact: () => undefined,
  });
  const base = await readState(gate);
  if (isComplete(base.state, graph))
    hasConsent = await wasAllowed((onEvent) => store.works.readLog(address, onEvent));
  const validated = await gate.validate(base, text, { isPerson: true });
  if (validated.ok) {
    const { from, to, notes } = validated.change;
    return { ok: true, from, to, notes: [...notes] };
  }
  const { code, message, details } = validated.error;
  return { ok: false, error: { code, message, details: details && { ...details } } };
}

/** Whether a person allowed one change that was not made yet. */
async function wasAllowed(
  readLog: (onEvent: (event: RunEvent) => void) => Promise<unknown>,
): Promise<boolean> {
  let consent: Consent = 'none';
  await readLog((event) => {
    consent = foldConsent(consent, event);
  });
  return (consent as Consent) !== 'none';
}

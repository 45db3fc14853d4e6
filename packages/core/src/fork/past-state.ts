/** The state document of a run as it was at a point, and a person's edits of it through the state gate. */
import type { RunEvent, RunFact } from '@crewagent/protocol/events';
import { EMPTY_RUN_STATE, foldRunState } from '@crewagent/protocol/run-state';
import type { CallStackEntry, WorkflowGraph } from '@crewagent/protocol/workflow';
import { CrewError } from '../base/crew-error.ts';
import { sha256Of } from '../base/sha256.ts';
import type { MountedFs } from '../mounts/mounted-fs.ts';
import type { VersionedText } from '../mounts/versioned-text.ts';
import { createStateGate } from '../tools/state/state-gate.ts';
import { isSameValue } from '../workflow/same-value.ts';
import { editState, updateStateText } from '../workflow/update-state.ts';
import { readWorkflowState } from '../workflow/workflow-state.ts';

export interface PastState {
  readonly runId: string;
  /** Up to the point. */
  readonly events: readonly RunEvent[];
  readonly callStack: readonly CallStackEntry[];
  readonly now: () => Date;
}

/** What the log says about progress, variables, decisions and artifacts; the rest of the document stays as it is. */
export async function toPastState(
  text: string,
  { runId, events, callStack, now }: PastState,
): Promise<string> {
  const parsed = await readWorkflowState(text);
  if (!parsed.ok) throw damaged(parsed.error.message);
  const folded = events.reduce(foldRunState, EMPTY_RUN_STATE);
  const past = { ...folded, callStack, runId, updatedAt: now().toISOString() };
  // Only what differs, because the document may lack fields that the state has.
  const changed = Object.entries(past).filter(([key, value]) => !isSameValue(value, parsed.state[key]));
  const edited = await editState(text, (fields) => ({ ...fields, ...Object.fromEntries(changed) }));
  if (edited.ok) return edited.text;
  throw damaged(edited.error.message);
}

export interface EditedVariables {
  readonly text: string;
  readonly facts: readonly RunFact[];
}

interface EditOptions {
  readonly graph: WorkflowGraph;
  readonly files: MountedFs;
  readonly now: () => Date;
}

/** Sets variables as a person who edits the document does. */
export async function editVariables(
  text: string,
  given: Readonly<Record<string, string>>,
  { graph, files, now }: EditOptions,
): Promise<EditedVariables> {
  if (Object.keys(given).length === 0) return { text, facts: [] };
  const document = openText(text);
  const facts: RunFact[] = [];
  const gate = createStateGate({
    document,
    graph,
    files,
    now,
    strictOutputs: false,
    resultsOf: () => ({ outputs: [], setsVariables: [], promised: new Set(), isEarly: () => false }),
    wasWritten: () => false,
    hasConsent: () => true,
    wasMissingReported: () => false,
    onFact: (fact) => facts.push(fact as RunFact),
  });
  const base = await gate.read();
  const set = Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name, toValue(name, value, base.state.variables[name])]),
  );
  const proposal = await updateStateText(base.text, { variables: { set } });
  const validated = proposal.ok ? await gate.validate(base, proposal.text, { isPerson: true }) : proposal;
  if (!validated.ok) throw new CrewError(validated.error.code, validated.error.message);
  return { text: (await gate.commit(validated.change)).text, facts };
}

/** Text, unless the variable has a value of another type: then JSON. */
function toValue(name: string, text: string, before: unknown): unknown {
  if (before === undefined || before === null || typeof before === 'string') return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new CrewError(
      'USAGE',
      `The variable "${name}" is not a text: give its value as JSON, such as ${JSON.stringify(before).slice(0, 80)}.`,
    );
  }
}

function openText(first: string): VersionedText {
  let version = toVersion(first);
  return {
    read: () => Promise.resolve(version),
    replace(text) {
      version = toVersion(text);
      return Promise.resolve(version);
    },
  };
}

const toVersion = (text: string) => ({ text, sha256: sha256Of(text) });

function damaged(reason: string): CrewError {
  return new CrewError('STATE_DAMAGED', `The state of the run cannot be taken over: ${reason}`);
}

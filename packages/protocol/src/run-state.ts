/**
 * The state of a run, folded from its events: the content of its state document without reading it.
 */
import type { RunEvent } from './events.ts';
import type { Decision } from './workflow.ts';

export interface RunState {
  readonly currentNodeId: string;
  readonly stepsCompleted: readonly string[];
  readonly variables: Readonly<Record<string, unknown>>;
  readonly decisionLog: readonly Decision[];
  /** Files the run wrote, each once, relative to the project. */
  readonly artifacts: readonly string[];
}

export const EMPTY_RUN_STATE: RunState = {
  currentNodeId: '',
  stepsCompleted: [],
  variables: {},
  decisionLog: [],
  artifacts: [],
};

export function foldRunState(state: RunState, event: RunEvent): RunState {
  switch (event.type) {
    case 'run.created':
      return {
        ...EMPTY_RUN_STATE,
        currentNodeId: event.entryNodeId,
        variables: event.variables,
        artifacts: event.artifacts ?? [],
      };
    case 'state.changed': {
      const before = event.isWhole ? EMPTY_RUN_STATE : state;
      return {
        currentNodeId: event.to,
        stepsCompleted: withoutItems(
          [...before.stepsCompleted, ...event.stepsAdded],
          event.stepsRemoved ?? [],
        ),
        variables: withoutKeys({ ...before.variables, ...event.variables }, event.unset ?? []),
        decisionLog: [...before.decisionLog, ...event.decisionsAdded],
        artifacts: withItems(before.artifacts, event.artifactsAdded ?? []),
      };
    }
    case 'artifact.written': {
      const path = event.path.replace(/^@project\//, '');
      return state.artifacts.includes(path) ? state : { ...state, artifacts: [...state.artifacts, path] };
    }
    case 'artifacts.changed':
      return {
        ...state,
        artifacts: withItems(withoutItems(state.artifacts, event.removed), event.restored),
      };
    default:
      return state;
  }
}

/** Adds an event to the artifacts that undos took out, which a redo brings back. */
export function addToUndone(undone: Set<string>, event: RunEvent): void {
  if (event.type !== 'artifacts.changed') return;
  for (const path of event.removed) undone.add(path);
  for (const path of event.restored) undone.delete(path);
}

function withItems(items: readonly string[], added: readonly string[]): readonly string[] {
  return added.length === 0 ? items : [...new Set([...items, ...added])];
}

function withoutItems(items: readonly string[], removed: readonly string[]): readonly string[] {
  if (removed.length === 0) return items;
  const gone = new Set(removed);
  return items.filter((item) => !gone.has(item));
}

function withoutKeys(fields: Record<string, unknown>, keys: readonly string[]): Record<string, unknown> {
  return keys.length === 0
    ? fields
    : Object.fromEntries(Object.entries(fields).filter(([key]) => !keys.includes(key)));
}

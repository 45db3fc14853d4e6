/** What the inspector looks into: a run, or the talk of a conversation around runs. Both keep a log and a journal. */
import type { RunView } from '@crewagent/protocol/run-view';

export interface Subject {
  readonly kind: 'run' | 'talk';
  readonly workId: string;
}

export interface PanelProps {
  readonly projectId: string;
  readonly subject: Subject;
  readonly view: Readonly<RunView>;
}

/** Only a run has nodes. */
export function subjectOf({ nodes, runId }: Readonly<RunView>): Subject {
  return { kind: nodes.length > 0 ? 'run' : 'talk', workId: runId };
}

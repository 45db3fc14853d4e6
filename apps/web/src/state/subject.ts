/** What the inspector shows: a run, or the thread of a conversation. Both have a log and a journal. */
import type { RunView } from '@crewagent/protocol/run-view';

export interface Subject {
  readonly kind: 'run' | 'thread';
  readonly workId: string;
}

export interface PanelProps {
  readonly projectId: string;
  readonly subject: Subject;
  readonly view: Readonly<RunView>;
}

/** Only runs have nodes. */
export function subjectOf({ nodes, runId }: Readonly<RunView>): Subject {
  return { kind: nodes.length > 0 ? 'run' : 'thread', workId: runId };
}

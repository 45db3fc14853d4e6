/** What the inspector looks into: a run, or the talk of a conversation around runs. Both keep a log and a journal. */
import type { RunView } from '@crewagent/protocol/run-view';

export type Subject =
  | { readonly kind: 'run'; readonly runId: string }
  | { readonly kind: 'talk'; readonly conversationId: string };

export interface PanelProps {
  readonly projectId: string;
  readonly subject: Subject;
  readonly view: Readonly<RunView>;
}

/** The same subject has the same key; for queries. */
export function keyOf(subject: Subject): readonly [string, string] {
  return subject.kind === 'run' ? ['run', subject.runId] : ['talk', subject.conversationId];
}

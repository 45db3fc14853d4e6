/**
 * Structured facts beside the text of a request: the node, and what was sent since. Used by stand-ins for a model
 * that cannot interpret text. Never sent to a provider and never recorded.
 */
import type { PromptSubject } from '@crewagent/protocol/event-messages';
import type { Language } from '@crewagent/protocol/languages';
import type { ProducedFile } from '@crewagent/protocol/proof';

export interface RequestFacts {
  /** Whether no run is active. */
  readonly isThread: boolean;
  /** The node of the last anchor; undefined outside of a run and after the last node. */
  readonly node: NodeFacts | undefined;
  /** Number of replies with calls. */
  readonly groups: number;
  /** In the order in which it was sent. */
  readonly sent: readonly SentFact[];
  /** Of the person; default: English. */
  readonly language?: Language;
}

/** `at`: number of replies with calls before it. */
export type SentFact = { readonly at: number } & (
  | { readonly kind: 'anchor'; readonly nodeId: string | undefined }
  | { readonly kind: 'words'; readonly text: string; readonly nodeId: string | undefined }
  | { readonly kind: 'subject'; readonly subject: PromptSubject }
  /** A reply of the model without calls. */
  | { readonly kind: 'reply' }
);

export interface NodeFacts {
  readonly nodeId: string;
  readonly title: string;
  readonly type: string;
  /** Mount path. */
  readonly stepFile: string;
  /** Undefined if it is too long for the brief. */
  readonly stepText: string | undefined;
  readonly stepsCompleted: readonly string[];
  /** Undefined if there are too many for the brief. */
  readonly variables: Readonly<Record<string, unknown>> | undefined;
  /** Mount paths; braces remain if a variable is not set. */
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  /** What is checked of these outputs when the node is left. */
  readonly produced?: readonly ProducedFile[];
  /** Whether the node is left only after a person has spoken. */
  readonly waits?: boolean;
  readonly outgoing: readonly OutgoingEdge[];
}

/** An outgoing edge. */
export interface OutgoingEdge {
  readonly to: string;
  readonly label: string;
  readonly isDefault: boolean;
  /** Whether its condition is true; false if the condition is false, unknown or absent. */
  readonly isMet: boolean;
}

/** A path inside the project, unless it names a mount. */
export function toProjectPath(path: string): string {
  return path.startsWith('@') ? path : `@project/${path.replace(/^(?:\.\/+)+/, '')}`;
}

/**
 * What a request is about, beside its text: where the run is, what was told since. For stand-ins of a model that drive a run
 * without understanding words. Facts are never sent to a provider and never recorded.
 */
import type { PromptSubject } from '@crewagent/protocol/events';

export interface RequestFacts {
  /** No run is under way. */
  readonly isThread: boolean;
  /** The node that the model was told of last; none outside of a run, and after the last node. */
  readonly node: NodeFacts | undefined;
  /** How many replies with calls there were. */
  readonly groups: number;
  /** In the order the model was told. */
  readonly sent: readonly SentFact[];
}

/** `at`: how many replies with calls there were before it. */
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
  /** Undefined where it is too long to be told unasked. */
  readonly stepText: string | undefined;
  readonly stepsCompleted: readonly string[];
  /** Undefined where they are too many to be told. */
  readonly variables: Readonly<Record<string, unknown>> | undefined;
  /** Mount paths; braces stay where a variable is not set. */
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly ways: readonly Way[];
}

/** An edge that leads on. */
export interface Way {
  readonly to: string;
  readonly label: string;
  readonly isDefault: boolean;
  /** Its condition is true; one that is false or unknown says as little as none. */
  readonly isMet: boolean;
}

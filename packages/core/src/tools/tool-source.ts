/**
 * Interface of tool sources. A source lists tools and executes their calls; the built-in tools are one source, MCP
 * servers another. Policy, argument validation, consent, limits and facts are handled by the tool host.
 */
import type { Answers } from '@crewagent/protocol/answers';
import type {
  DescribedAction,
  EffectKind,
  FileFact,
  Question,
  ToolEffect,
  ToolFailure,
  ToolProgress,
  ToolResult,
} from '@crewagent/protocol/tools';

export interface ToolSource {
  /**
   * Prepares the tools of these servers, e.g. starts the servers; awaited before each request to the model and before
   * each call. Never throws: a failed server has no tools, and `warnings` says why.
   */
  prepare?(servers: readonly string[], signal: AbortSignal): Promise<PreparedTools>;
  /**
   * Called once for each agent, and again after `prepare` reported a new revision. If two tools have the same name, the
   * first source wins.
   */
  list(servers: readonly string[]): readonly ToolDescription[];
  /** Executes a call. A failure the model can fix is an answer; an error the user must fix is thrown as CrewError. */
  run(call: ToolRequest, context: ToolCallContext): Promise<ToolAnswer>;
  /**
   * Whether this call has run already, and waits for consent to what it changed. `run` then executes nothing, and returns the
   * prepared action again.
   */
  heldAction?(callId: string): Promise<boolean>;
}

export interface PreparedTools {
  /** Changes whenever the list of tools changes. */
  readonly revision: string;
  /** For the person, each once. A text is a server that failed. */
  readonly warnings: readonly (string | ToolWarning)[];
}

export interface ToolWarning {
  readonly code: string;
  readonly message: string;
  readonly details: Readonly<Record<string, string>>;
}

export type ToolFamily = 'fs' | 'runtime' | 'ui' | 'mcp' | 'shell';

export interface ToolDescription {
  /** Canonical name, as in logs and on screen: `fs.read`. */
  readonly name: string;
  readonly family: ToolFamily;
  /** MCP server of the tool; the policy allows servers individually. */
  readonly server?: string;
  /** Effect kind of its calls. */
  readonly effect: EffectKind;
  /** Only read-only tools are offered under the read-only preset. */
  readonly isReadOnly: boolean;
  /** Needs consent under every preset, including `autopilot`. */
  readonly mustAsk?: boolean;
  /** What consent for longer applies to; default: the server. */
  readonly consentTarget?: string;
  /** Consent for one call, where it depends on the arguments. */
  consentFor?(args: unknown): CallConsent | Promise<CallConsent>;
  readonly description: string;
  /** Whether the model is offered the tool now; by default always. */
  isUseful?(): boolean;
  /** JSON Schema of the arguments, as sent to the model. */
  parameters(): Readonly<Record<string, unknown>>;
  /** Schema to validate against, if it differs from `parameters`. */
  checkedSchema?(): Readonly<Record<string, unknown>>;
  /** Parses the arguments; without it, they are validated against the schema. */
  parse?(raw: Readonly<Record<string, unknown>>): ParsedArguments;
}

export interface CallConsent {
  /** The action as a sentence without a full stop. */
  readonly title: string;
  /** What consent for longer applies to. */
  readonly target: string;
  /** Ask under every preset. */
  readonly mustAsk: boolean;
  /** Consent can only be given for this call. */
  readonly isOnceOnly: boolean;
  /** A person allowed such calls with a rule. */
  readonly isAllowed: boolean;
  /** What the call depends on, such as the folder it runs in: consent is bound to it. */
  readonly files?: readonly FileFact[];
}

export type ParsedArguments =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly issues: readonly ArgumentIssue[] };

export interface ArgumentIssue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

export interface ToolRequest {
  readonly name: string;
  /** Result of `parse`, or the raw arguments of a tool without `parse`. */
  readonly arguments: unknown;
}

export interface ToolCallContext {
  readonly callId: string;
  /** Canonical name of the tool. */
  readonly name: string;
  /** The node whose brief the model had when it decided on this call; unchecked if undefined. */
  readonly decidedAt?: string | undefined;
  /** A person approved this very call. */
  readonly isApproved?: boolean | undefined;
  /** What consent to the call was bound to (`CallConsent.files`). If it no longer holds, `run` throws ChangedMeanwhile. */
  readonly files?: readonly FileFact[] | undefined;
  /** A person answers questions during a call. */
  readonly mayAsk?: boolean | undefined;
  /** Answers to the questions of this call, which is in progress. */
  readonly answers?: Answers | undefined;
  /** For a call that says how far it is. */
  onProgress?(progress: ToolProgress): void;
  readonly signal: AbortSignal;
}

/** A result for the model, an action that may need consent, or questions for the user. */
export type ToolAnswer =
  | { readonly kind: 'result'; readonly result: ToolResult; readonly effect?: EffectFacts }
  | { readonly kind: 'action'; readonly prepared: PreparedAction }
  | { readonly kind: 'question'; readonly questions: readonly Question[] };

/** Effect of one call; its kind comes from the tool description. */
export type EffectFacts = Partial<ToolEffect>;

/** A checked action that has not been performed. `commit` does exactly what the preview shows. */
export interface PreparedAction {
  readonly action: DescribedAction;
  /**
   * What consent is bound to, in a fixed order. Consent for longer must cover each file; if something runs one of them later, it
   * must be for this very change.
   */
  readonly files: readonly FileFact[];
  readonly effect: EffectFacts;
  /** True if the action would change nothing. */
  readonly isNoop: boolean;
  /**
   * Throws ChangedMeanwhile, and does nothing, if `files` no longer hold. With an approval the call is then prepared again, and
   * asked about.
   */
  commit(): Promise<ToolResult>;
  /** Drops the action, which was denied. Its result replaces the denial: for a call that has run, and produced output. */
  discard?(denial: ToolFailure): Promise<ToolResult>;
}

/**
 * Where tools come from. A source lists its tools and runs their calls; the built-in tools are one source, MCP servers are
 * another. What holds for every call is in the tool host: policy, arguments, consent, time, size, facts.
 */
import type {
  DescribedAction,
  EffectKind,
  Question,
  RunsLater,
  ToolEffect,
  ToolResult,
} from '@crewagent/protocol/tools';

export interface ToolSource {
  /**
   * Makes ready the tools of these servers, e.g. starts them; awaited before each request to the model and before each call.
   * Never throws: a server that fails has no tools, and `warnings` say why.
   */
  prepare?(servers: readonly string[], signal: AbortSignal): Promise<PreparedTools>;
  /** Read once for each agent, and again after `prepare` found changes. Of two tools with one name, that of the first source counts. */
  list(servers: readonly string[]): readonly ToolDescription[];
  /** Runs a call of one of its tools. A failure the model can fix is an answer; a person's is thrown, as a CrewError. */
  run(call: ToolRequest, context: ToolCallContext): Promise<ToolAnswer>;
}

export interface PreparedTools {
  /** Differs from the last one where the list of tools changed. */
  readonly revision: string;
  readonly warnings: readonly string[];
}

export type ToolFamily = 'fs' | 'runtime' | 'ui' | 'mcp';

export interface ToolDescription {
  /** As logs and people see it: `fs.read`. */
  readonly name: string;
  readonly family: ToolFamily;
  /** The MCP server it belongs to: the policy allows servers one by one. */
  readonly server?: string;
  /** What its calls are for. */
  readonly effect: EffectKind;
  /** A tool that may change something is not offered at all under the read-only preset. */
  readonly isReadOnly: boolean;
  /** Needs consent under every preset, `autopilot` included. */
  readonly mustAsk?: boolean;
  /** What consent for longer counts for; the server if left out. */
  readonly consentTarget?: string;
  readonly description: string;
  /** The JSON Schema of its arguments, as a model is shown it. */
  parameters(): Readonly<Record<string, unknown>>;
  /** What arguments are held against, where that is not what the model is shown. */
  checkedSchema?(): Readonly<Record<string, unknown>>;
  /** Reads the arguments where the schema does not say everything; else they are held against the schema. */
  parse?(raw: Readonly<Record<string, unknown>>): ParsedArguments;
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
  /** What `parse` made of the arguments; without it, the arguments themselves. */
  readonly arguments: unknown;
}

export interface ToolCallContext {
  readonly callId: string;
  /** Name of the tool. */
  readonly name: string;
  /** The node whose brief the model had when it decided on this call; nothing is held against it where that is not known. */
  readonly decidedAt?: string | undefined;
  readonly signal: AbortSignal;
}

/** A result for the model; an action that may need a person's consent first; or a question that only a person can answer. */
export type ToolAnswer =
  | { readonly kind: 'result'; readonly result: ToolResult; readonly effect?: EffectFacts }
  | { readonly kind: 'action'; readonly prepared: PreparedAction }
  | { readonly kind: 'question'; readonly questions: readonly Question[] };

/** What a source says of the effect of a call; its description says what kind it is. */
export type EffectFacts = Partial<ToolEffect>;

/** Something that was checked and not yet done: what a person is shown is exactly what `commit` does. */
export interface PreparedAction {
  readonly action: DescribedAction;
  readonly effect: EffectFacts;
  /** What would run the file later: then only consent to this very change counts. */
  readonly runsLater?: RunsLater;
  /** Nothing would change. */
  readonly isNoop: boolean;
  commit(): Promise<ToolResult>;
}

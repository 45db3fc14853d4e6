/**
 * What a tool is: a small value with a name, a schema for its arguments and a function. Its disk is given to it when it is
 * made. A tool never throws for what the model can mend; it answers with a failure.
 */

import type { ErrorCode } from '@crewagent/protocol/errors';
import { effectKindOf, isChange } from '@crewagent/protocol/tool-effects';
import type {
  EffectKind,
  Question,
  RunsLater,
  ToolEffect,
  ToolFailure,
  ToolResult,
} from '@crewagent/protocol/tools';
import type { Decision } from '@crewagent/protocol/workflow';
import type * as z from '@crewagent/protocol/zod';
import { TOLD_PARAMETERS } from './told-parameters.ts';

export type ToolFamily = 'fs' | 'runtime' | 'ui' | 'mcp';

/** What the host keeps: arguments are read once, by the schema they were written for. */
export interface Tool {
  /** As logs and people see it: `fs.read`. */
  readonly name: string;
  readonly family: ToolFamily;
  /** What its calls are for. */
  readonly effect: EffectKind;
  /** A tool that may change something is not offered at all under the read-only preset. */
  readonly isReadOnly: boolean;
  readonly description: string;
  /** The JSON Schema a model is shown. */
  parameters(): Readonly<Record<string, unknown>>;
  /** What `parameters` is made of. */
  readonly toldSchema: z.ZodType;
  readonly toldName: string;
  read(raw: Readonly<Record<string, unknown>>): ReadArguments;
}

export type ReadArguments =
  | { readonly ok: true; run(call: ToolCallContext): Promise<ToolAnswer> }
  | { readonly ok: false; readonly issues: readonly z.core.$ZodIssue[] };

/** What the author of a tool writes. */
export interface ToolDefinition<Arguments> extends Pick<Tool, 'name' | 'family' | 'description'> {
  /** What is enforced. */
  readonly schema: z.ZodType<Arguments>;
  /** What the model is told of it, where that is less. */
  readonly advertised?: z.ZodType;
  /** Where a tool can be told in two ways, which of them this is. */
  readonly toldName?: string;
  /** Other spellings that are understood but not advertised, turned into the advertised one. */
  accept?(raw: Readonly<Record<string, unknown>>): Record<string, unknown>;
  run(args: Arguments, call: ToolCallContext): Promise<ToolAnswer>;
}

export function defineTool<Arguments>(definition: ToolDefinition<Arguments>): Tool {
  const { name, family, description, schema, advertised = schema, toldName = name } = definition;
  const effect = effectKindOf(name);
  return {
    name,
    family,
    effect,
    isReadOnly: !isChange({ kind: effect }),
    description,
    toldSchema: advertised,
    toldName,
    parameters: () => TOLD_PARAMETERS[toldName] ?? ANYTHING,
    read(raw) {
      const parsed = schema.safeParse(definition.accept?.(raw) ?? raw);
      if (!parsed.success) return { ok: false, issues: parsed.error.issues };
      return { ok: true, run: (call) => definition.run(parsed.data, call) };
    },
  };
}

/** For a tool that `npm run schemas` does not know of; its own schema judges its arguments all the same. */
const ANYTHING = { type: 'object' };

export interface ToolCallContext {
  readonly callId: string;
  /** The node whose brief the model had when it decided on this call; nothing is held against it where that is not known. */
  readonly decidedAt?: string | undefined;
  readonly signal: AbortSignal;
}

/** A result for the model; a change that may need a person's consent first; or a question that only a person can answer. */
export type ToolAnswer =
  | { readonly kind: 'result'; readonly result: ToolResult; readonly effect?: EffectFacts }
  | { readonly kind: 'change'; readonly change: PreparedChange }
  | { readonly kind: 'question'; readonly questions: readonly Question[] };

/** What a tool says of the effect of a call; the host knows what kind it is. */
export type EffectFacts = Partial<ToolEffect>;

/** A write that was checked and not yet made: what a person is shown is exactly what `commit` does. */
export interface PreparedChange {
  /** Full mount path. */
  readonly path: string;
  readonly effect: EffectFacts;
  /** Unified diff of what would change. */
  readonly diff: string;
  /** What would run the file later: then only consent to this very change counts. */
  readonly runsLater?: RunsLater;
  /** The file has this content already. */
  readonly isNothingNew: boolean;
  commit(): Promise<ToolResult>;
}

/** What happened besides the answer, for the log and the screen. Mount paths only. */
export type ToolFact =
  | {
      readonly type: 'state.changed';
      readonly from: string;
      readonly to: string;
      readonly label: string | undefined;
      /** What was set, and the names of what was taken away. */
      readonly variables: Readonly<Record<string, unknown>>;
      readonly unset: readonly string[];
      readonly stepsAdded: readonly string[];
      readonly decisionsAdded: readonly Decision[];
      readonly artifactsAdded: readonly string[];
      readonly stepsRemoved?: readonly string[];
      readonly isRewind?: true;
      readonly outputsMissing?: readonly string[];
      readonly notes: readonly string[];
      readonly sha256: string;
      readonly diff: string;
    }
  | {
      readonly type: 'transition.refused';
      readonly from: string;
      readonly to: string;
      readonly message: string;
      readonly code?: string;
    }
  | { readonly type: 'artifact.written'; readonly path: string }
  | { readonly type: 'warning'; readonly code: string; readonly message: string };

export function answer(result: ToolResult, effect?: EffectFacts): ToolAnswer {
  return { kind: 'result', result, ...(effect ? { effect } : {}) };
}

export function failure(code: ErrorCode, message: string, details?: Record<string, unknown>): ToolFailure {
  return { ok: false, error: { code, message, ...(details ? { details } : {}) } };
}

/** Remembers what a file was before a tool changed it. */
export interface ChangeRecorder {
  /**
   * Called before a project file is replaced or created. Resolves to the name of the temp file to use, once the old
   * content is safe. `before` is undefined for a new file.
   */
  begin(change: {
    callId: string;
    path: string;
    before: Buffer | undefined;
    after: Buffer | undefined;
    mode: number | undefined;
  }): Promise<RecordedChange>;
}

export interface RecordedChange {
  readonly tempName: string;
  /** The change is on disk. */
  done(): Promise<void>;
  /** The change was not made, or was taken back; what the file holds decides. */
  abandon(): Promise<void>;
}

/**
 * What a built-in tool is: a small value with a name, a schema for its arguments and a function. Its disk is given to it when
 * it is made. A tool never throws for what the model can fix; it answers with a failure.
 */

import type { ChoiceCandidate } from '@crewagent/protocol/commands';
import type { ErrorCode } from '@crewagent/protocol/errors';
import { effectKindOf, isChange } from '@crewagent/protocol/tool-effects';
import type { ToolFailure, ToolResult } from '@crewagent/protocol/tools';
import type { Decision } from '@crewagent/protocol/workflow';
import type * as z from '@crewagent/protocol/zod';
import { ADVERTISED_PARAMETERS } from './advertised-parameters.ts';
import type {
  EffectFacts,
  ParsedArguments,
  ToolAnswer,
  ToolCallContext,
  ToolDescription,
  ToolSource,
} from './tool-source.ts';

export interface Tool extends ToolDescription {
  /** What `parameters` is made of. */
  readonly advertisedSchema: z.ZodType;
  readonly advertisedName: string;
  parse(raw: Readonly<Record<string, unknown>>): ParsedArguments;
  /** `value`: what `parse` made of the arguments. */
  run(value: unknown, call: ToolCallContext): Promise<ToolAnswer>;
}

/** What the author of a tool writes. */
export interface ToolDefinition<Arguments> extends Pick<Tool, 'name' | 'family' | 'description'> {
  /** What is enforced. */
  readonly schema: z.ZodType<Arguments>;
  /** What the model is told of it, where that is less. */
  readonly advertised?: z.ZodType;
  /** Where a tool can be told in two ways, which of them this is. */
  readonly advertisedName?: string;
  /** Other spellings that are understood but not advertised, turned into the advertised one. */
  accept?(raw: Readonly<Record<string, unknown>>): Record<string, unknown>;
  run(args: Arguments, call: ToolCallContext): Promise<ToolAnswer>;
}

export function defineTool<Arguments>(definition: ToolDefinition<Arguments>): Tool {
  const { name, family, description, schema, advertised = schema, advertisedName = name } = definition;
  const effect = effectKindOf(name);
  return {
    name,
    family,
    effect,
    isReadOnly: !isChange({ kind: effect }),
    description,
    advertisedSchema: advertised,
    advertisedName,
    parameters: () => ADVERTISED_PARAMETERS[advertisedName] ?? ANYTHING,
    parse(raw) {
      const parsed = schema.safeParse(definition.accept?.(raw) ?? raw);
      return parsed.success ? { ok: true, value: parsed.data } : { ok: false, issues: parsed.error.issues };
    },
    // The value comes from `parse` above.
    run: (value, call) => definition.run(value as Arguments, call),
  };
}

/** For a tool that `npm run schemas` does not know of; its own schema judges its arguments all the same. */
const ANYTHING = { type: 'object' };

export function createToolSource(tools: readonly Tool[]): ToolSource {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  return {
    list: () => tools,
    async run({ name, arguments: value }, context) {
      const tool = byName.get(name);
      if (!tool) throw new Error(`no tool ${name}`);
      return tool.run(value, context);
    },
  };
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
      readonly carry?: string;
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
  | {
      readonly type: 'choice.offered';
      readonly reason: string;
      readonly candidates: readonly ChoiceCandidate[];
    }
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

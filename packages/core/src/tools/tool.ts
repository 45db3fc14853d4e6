/**
 * Definition of built-in tools: a name, an argument schema and a function, with dependencies passed at creation. A tool
 * does not throw for errors the model can fix; it returns a failure.
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
  /** Source of `parameters`. */
  readonly advertisedSchema: z.ZodType;
  readonly advertisedName: string;
  parse(raw: Readonly<Record<string, unknown>>): ParsedArguments;
  /** `value`: result of `parse`. */
  run(value: unknown, call: ToolCallContext): Promise<ToolAnswer>;
}

/** Definition written by the author of a tool. */
export interface ToolDefinition<Arguments> extends Pick<Tool, 'name' | 'family' | 'description'> {
  /** Enforced schema. */
  readonly schema: z.ZodType<Arguments>;
  /** Schema sent to the model, if smaller. */
  readonly advertised?: z.ZodType;
  /** Key in `ADVERTISED_PARAMETERS`, for a tool that has two advertised schemas. */
  readonly advertisedName?: string;
  /** Converts accepted but not advertised spellings to the advertised form. */
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
    parameters: () => ADVERTISED_PARAMETERS[advertisedName] ?? ANY_OBJECT,
    parse(raw) {
      const parsed = schema.safeParse(definition.accept?.(raw) ?? raw);
      return parsed.success ? { ok: true, value: parsed.data } : { ok: false, issues: parsed.error.issues };
    },
    // `value` is the result of `parse` above.
    run: (value, call) => definition.run(value as Arguments, call),
  };
}

/** For a tool not covered by `npm run schemas`; its own schema still validates the arguments. */
const ANY_OBJECT = { type: 'object' };

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

/** Facts for the log and the screen, besides the answer. Mount paths only. */
export type ToolFact =
  | {
      readonly type: 'state.changed';
      readonly from: string;
      readonly to: string;
      readonly label: string | undefined;
      /** Variables that were set; `unset` names the removed ones. */
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

/** Records the content of files before tools change them. */
export interface ChangeRecorder {
  /**
   * Called before a project file is created or replaced. Resolves to the temp file name to use, once the old content is
   * stored. `before` is undefined for a new file.
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
  /** The change was not made, or was undone. The file's content tells which. */
  abandon(): Promise<void>;
}

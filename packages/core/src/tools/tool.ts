/**
 * Definition of built-in tools: a name, an argument schema and a function, with dependencies passed at creation. A tool
 * does not throw for errors the model can fix; it returns a failure.
 */
import type { ErrorCode } from '@crewagent/protocol/errors';
import type { RunFact } from '@crewagent/protocol/events';
import { effectKindOf, isChange } from '@crewagent/protocol/tool-effects';
import type { ToolFailure, ToolResult } from '@crewagent/protocol/tools';
import type * as z from '@crewagent/protocol/zod';
import { ADVERTISED_PARAMETERS } from './advertised-parameters.ts';
import type {
  ArgumentIssue,
  EffectFacts,
  ParsedArguments,
  ToolAnswer,
  ToolCallContext,
  ToolDescription,
  ToolSource,
} from './tool-source.ts';

export interface Tool extends ToolDescription {
  /** Source of `parameters`. */
  advertisedSchema(): z.ZodMiniType;
  readonly advertisedName: string;
  parse(raw: Readonly<Record<string, unknown>>): ParsedArguments;
  /** `value`: result of `parse`. */
  run(value: unknown, call: ToolCallContext): Promise<ToolAnswer>;
}

/** Definition written by the author of a tool. */
export interface ToolDefinition<Arguments>
  extends Pick<Tool, 'name' | 'family' | 'description' | 'isOffered'> {
  /** Enforced schema. A function: a run has many tools and calls few. */
  schema(): z.ZodMiniType<Arguments>;
  /** Schema sent to the model, if smaller. */
  advertised?(): z.ZodMiniType;
  /** Key in `ADVERTISED_PARAMETERS`, for a tool that has two advertised schemas. */
  readonly advertisedName?: string;
  /** Converts accepted but not advertised spellings to the advertised form. */
  accept?(raw: Readonly<Record<string, unknown>>): Record<string, unknown>;
  run(args: Arguments, call: ToolCallContext): Promise<ToolAnswer>;
}

export function defineTool<Arguments>(definition: ToolDefinition<Arguments>): Tool {
  const { name, family, description, advertisedName = name } = definition;
  const effect = effectKindOf(name);
  return {
    name,
    family,
    effect,
    isReadOnly: !isChange({ kind: effect }),
    description,
    isOffered: definition.isOffered,
    advertisedSchema: () => definition.advertised?.() ?? definition.schema(),
    advertisedName,
    parameters: () => ADVERTISED_PARAMETERS[advertisedName] ?? ANY_OBJECT,
    parse(raw) {
      const schema = definition.schema();
      const parsed = schema.safeParse(definition.accept?.(raw) ?? raw);
      if (parsed.success) return { ok: true, value: parsed.data };
      const { issues } = parsed.error;
      const complete = withoutNulls(raw, issues);
      const again = complete && schema.safeParse(definition.accept?.(complete) ?? complete);
      return again?.success ? { ok: true, value: again.data } : { ok: false, issues };
    },
    // `value` is the result of `parse` above.
    run: (value, call) => definition.run(value as Arguments, call),
  };
}

/** Some models send every optional field as null. Undefined if none of the issues is about a null. */
function withoutNulls(
  raw: Readonly<Record<string, unknown>>,
  issues: readonly ArgumentIssue[],
): Record<string, unknown> | undefined {
  const copy = structuredClone(raw) as Record<string, unknown>;
  let isChanged = false;
  for (const { path } of issues) {
    const parent = path
      .slice(0, -1)
      .reduce<unknown>((value, key) => (isObject(value) ? Reflect.get(value, key) : undefined), copy);
    const key = path.at(-1);
    if (key === undefined || !isObject(parent) || Array.isArray(parent) || Reflect.get(parent, key) !== null)
      continue;
    isChanged = Reflect.deleteProperty(parent, key);
  }
  return isChanged ? copy : undefined;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
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
export type ToolFact = Extract<
  RunFact,
  { type: 'state.changed' | 'transition.refused' | 'artifact.written' | 'choice.offered' | 'warning' }
>;

export type ResultAnswer = Extract<ToolAnswer, { kind: 'result' }>;

export function answer(result: ToolResult, effect?: EffectFacts): ResultAnswer {
  return { kind: 'result', result, effect };
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
    /** One of several files that are changed together, or not at all. */
    isGrouped?: boolean;
  }): Promise<RecordedChange>;
}

export interface RecordedChange {
  readonly tempName: string;
  /** The change is on disk. */
  done(): Promise<void>;
  /** The change was not made, or was undone. The file's content tells which. */
  abandon(): Promise<void>;
}

/**
 * Parses and validates the arguments of a tool call. Returns the value, or a failure that tells the model what is
 * wrong.
 */
import type { ToolFailure } from '@crewagent/protocol/tools';
import { coerceArguments } from './coerce-arguments.ts';
import { failure } from './tool.ts';
import { parseToolArguments } from './tool-arguments.ts';
import type { ArgumentIssue, ToolDescription } from './tool-source.ts';

interface RawArguments {
  /** JSON text written by the model. */
  readonly arguments: string;
  /** True if the reply ended in the middle of this call. */
  readonly isCutOff?: boolean;
}

export async function readArguments(
  tool: ToolDescription,
  call: RawArguments,
): Promise<{ readonly value: unknown } | { readonly failure: ToolFailure }> {
  const parsed = parseToolArguments(call.arguments);
  if (!parsed.ok) {
    const reason =
      call.isCutOff && parsed.code === 'TOOL_ARGS_INVALID_JSON'
        ? 'your reply was cut off at its length limit; write the content in parts with several calls'
        : parsed.reason;
    return {
      failure: failure(parsed.code, `The arguments of "${tool.name}" are invalid: ${reason}.`),
    };
  }
  const schema = tool.checkedSchema?.() ?? tool.parameters();
  const parse =
    tool.parse ??
    // Loaded lazily: few runs have such a tool, and the schema checker is large.
    (await import('./schema-check.ts')).createSchemaCheck(schema);
  const read = parse(parsed.value);
  if (read.ok) return read;
  const coerced = parse(coerceArguments(parsed.value, schema));
  if (coerced.ok) return coerced;
  // What is left to fix: an error about a key that was understood would cost a turn.
  const problems = coerced.issues.slice(0, 5).map(describeIssue);
  return {
    failure: failure(
      'TOOL_ARGS_INVALID',
      `The arguments of "${tool.name}" are invalid: ${problems.join('; ')}.`,
      { expected: schema },
    ),
  };
}

/** Limits names and messages that the model itself supplied. */
const MAX_ISSUE_CHARS = 200;

function describeIssue(issue: ArgumentIssue): string {
  const field = issue.path.map(String).join('.') || 'arguments';
  return `${field.slice(0, MAX_ISSUE_CHARS)}: ${issue.message.replace(/^Invalid input: /, '').slice(0, MAX_ISSUE_CHARS)}`;
}

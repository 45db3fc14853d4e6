/**
 * The arguments of a call as its tool takes them, or the failure that tells the model what does not fit.
 */
import type { ToolFailure } from '@crewagent/protocol/tools';
import { failure } from './tool.ts';
import { parseToolArguments } from './tool-arguments.ts';
import type { ArgumentIssue, ToolDescription } from './tool-source.ts';

interface WrittenArguments {
  /** JSON text as the model wrote it. */
  readonly arguments: string;
  /** The reply ended in the middle of this call. */
  readonly isCutOff?: boolean;
}

export async function readArguments(
  tool: ToolDescription,
  call: WrittenArguments,
): Promise<{ readonly value: unknown } | { readonly failure: ToolFailure }> {
  const parsed = parseToolArguments(call.arguments);
  if (!parsed.ok) {
    const reason =
      call.isCutOff && parsed.code === 'TOOL_ARGS_INVALID_JSON'
        ? 'your reply was cut off at its length limit; write the content in parts with several calls'
        : parsed.reason;
    return {
      failure: failure(parsed.code, `The arguments of "${tool.name}" cannot be used: ${reason}.`),
    };
  }
  const schema = tool.checkedSchema?.() ?? tool.parameters();
  const read = tool.parse
    ? tool.parse(parsed.value)
    : // Few runs have such a tool, and what reads schemas is large.
      (await import('./schema-check.ts')).createSchemaCheck(schema)(parsed.value);
  if (read.ok) return read;
  const problems = read.issues.slice(0, 5).map(describeIssue);
  return {
    failure: failure(
      'TOOL_ARGS_INVALID',
      `The arguments of "${tool.name}" do not fit: ${problems.join('; ')}.`,
      { expected: schema },
    ),
  };
}

/** Names that the model made up come back in it. */
const MAX_ISSUE_CHARS = 200;

function describeIssue(issue: ArgumentIssue): string {
  const place = issue.path.map(String).join('.') || 'arguments';
  return `${place.slice(0, MAX_ISSUE_CHARS)}: ${issue.message.replace(/^Invalid input: /, '').slice(0, MAX_ISSUE_CHARS)}`;
}

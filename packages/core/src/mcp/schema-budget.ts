/**
 * Keeps many tools from filling the prompt: above a budget the model gets names with one line each, and `mcp.describe` returns
 * the rest. The choice depends on the tools only, so that every request has the same prefix. Pure.
 */
import type { ToolResult } from '@crewagent/protocol/tools';
import type { ToolDescription } from '../tools/tool-source.ts';

export const DESCRIBE = 'mcp.describe';

const BUDGET_BYTES = 8_192;
const LINE_CHARS = 120;
const MAX_NAMES = 16;

export function toBriefTools(
  tools: readonly ToolDescription[],
  budgetBytes = BUDGET_BYTES,
): readonly ToolDescription[] {
  const bytes = tools.reduce(
    (sum, tool) => sum + Buffer.byteLength(tool.description + JSON.stringify(tool.parameters())),
    0,
  );
  if (bytes <= budgetBytes) return tools;
  const brief = tools.map((tool): ToolDescription => {
    const [line = ''] = tool.description.split('\n');
    const description = line.length > LINE_CHARS ? `${line.slice(0, LINE_CHARS - 1)}…` : line;
    return { ...tool, description, parameters: () => ({ type: 'object' }) };
  });
  return [DESCRIBE_TOOL, ...brief];
}

const DESCRIBE_TOOL: ToolDescription = {
  name: DESCRIBE,
  family: 'mcp',
  effect: 'none',
  isReadOnly: true,
  description:
    'Returns the full description and the parameters of tools whose names begin with mcp_. Call it before you call such a tool for the first time.',
  parameters: () => ({
    type: 'object',
    properties: { names: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: MAX_NAMES } },
    required: ['names'],
    additionalProperties: false,
  }),
};

export function describeTools(
  args: unknown,
  find: (name: string) => ToolDescription | undefined,
): ToolResult {
  const { names } = args as { readonly names: readonly string[] };
  const tools = names.map((spelling) => {
    // On the wire the first two dots are underscores; a server's id contains neither.
    const name = spelling.replace(/^mcp_([^_]+)_/, 'mcp.$1.');
    const tool = find(name);
    return tool
      ? { name: spelling, description: tool.description, parameters: tool.parameters() }
      : { name: spelling, error: 'There is no such tool.' };
  });
  return { ok: true, tools };
}

/**
 * One node visit by the rehearsal, for tests: the rehearsal replies, the test provides the tool results.
 */
import type { ToolResult } from '@crewagent/protocol/tools';
import type { ModelReply } from '../llm/llm-adapter.ts';
import type { RequestFacts, SentFact } from '../llm/request-facts.ts';
import type { ChatMessage, ChatRequest, WireTool } from '../llm/wire.ts';
import { type NodeBrief, toNodeBrief, toNodeFacts } from '../prompt/prompt-blocks.ts';
import type { RehearsalOptions } from '../rehearse/models/leave.ts';
import { createRehearsal } from '../rehearse/models/rehearsal.ts';

export const TOOLS = ['fs_read', 'fs_list', 'fs_write', 'fs_apply_patch', 'ui_ask_user'];
export const ABORTED: ToolResult = { ok: false, error: { code: 'ENGINE_ABORTED', message: 'stopped' } };
export const REFUSED: ToolResult = {
  ok: false,
  error: { code: 'TOOL_REFUSED', message: 'The person refused.' },
};
export const MISSING: ToolResult = { ok: false, error: { code: 'ENOENT', message: 'There is no file.' } };

export const step = (frontmatter: string, body = 'Do it.'): string =>
  `---\nschemaVersion: "1.1"\nnodeId: here\ntype: step\n${frontmatter}\n---\n\n# Step\n\n${body}\n`;

interface Scene extends Partial<NodeBrief> {
  readonly step?: string;
  /** Whether the anchor shows the step. */
  readonly isStepShown?: boolean;
  readonly tools?: readonly string[];
  readonly options?: RehearsalOptions;
}

export function enter({
  step: text = step(''),
  isStepShown = true,
  tools = TOOLS,
  options = {},
  ...brief
}: Scene = {}) {
  const sent: NodeBrief = {
    nodeId: 'here',
    title: 'The Title',
    type: 'step',
    stepPath: 'steps/here.md',
    stepsCompleted: [],
    variables: {},
    inputs: [],
    outputs: [],
    allowedNext: [{ to: 'there', label: 'next', isDefault: true }],
    ...brief,
  };
  const node = toNodeFacts(sent, isStepShown ? text : undefined);
  const anchor = toNodeBrief(sent);
  const messages: ChatMessage[] = [
    { role: 'system', content: 'rules' },
    { role: 'user', content: anchor },
  ];
  const history = createSentFacts(messages);
  history.tell({ kind: 'anchor', nodeId: node.nodeId });
  const rehearsal = createRehearsal(options);
  let calls = 0;
  const request = (): ChatRequest => ({
    messages,
    tools: tools.map(toTool),
    facts: async () => history.facts({ isThread: false, node: history.isAfter() ? undefined : node }),
  });

  const ask = async (): Promise<ModelReply> => {
    const outcome = await rehearsal.chat(request(), {
      signal: new AbortController().signal,
      onProgress: () => undefined,
    });
    if (outcome.kind !== 'reply') throw new Error(outcome.kind);
    return outcome.reply;
  };
  const scene = {
    request,
    /** The next reply, without adding it to the history. */
    async next() {
      const reply = await ask();
      return { say: reply.content, calls: reply.toolCalls.map((call) => [call.name, argsOf(call)] as const) };
    },
    /** Adds the next reply to the history, with these results of its calls. */
    async answer(...results: ToolResult[]) {
      const reply = await ask();
      if (results.length !== reply.toolCalls.length)
        throw new Error(`${reply.toolCalls.length} calls: ${reply.content}`);
      const ids = reply.toolCalls.map(() => `c${++calls}`);
      messages.push({
        role: 'assistant',
        content: reply.content,
        tool_calls: reply.toolCalls.map(({ name, arguments: text }, index) => ({
          id: ids[index] ?? '',
          type: 'function',
          function: { name, arguments: text },
        })),
      });
      for (const [index, id] of ids.entries())
        messages.push({ role: 'tool', tool_call_id: id, content: JSON.stringify(results[index]) });
      return scene;
    },
    /** The person sends a message, or only resumes the run. */
    resume(text?: string) {
      messages.push({ role: 'user', content: anchor });
      history.tell({ kind: 'anchor', nodeId: node.nodeId });
      if (text !== undefined) history.tell({ kind: 'words', text, nodeId: node.nodeId });
      return scene;
    },
    /** The run moves to another node, or past the last one, and the model replies there. */
    leave(nodeId: string | undefined) {
      messages.push({ role: 'user', content: 'elsewhere' }, { role: 'assistant', content: 'fine' });
      history.tell({ kind: 'anchor', nodeId });
      return scene;
    },
  };
  return scene;
}

type WithoutPosition<Fact> = Fact extends SentFact ? Omit<Fact, 'at'> : never;

/** The facts that accompany messages, as the history records them. */
export function createSentFacts(messages: readonly ChatMessage[]) {
  const sent: SentFact[] = [];
  const groups = (): number =>
    messages.filter((message) => message.role === 'assistant' && message.tool_calls?.length).length;
  return {
    tell: (fact: WithoutPosition<SentFact>): number => sent.push({ ...fact, at: groups() }),
    isAfter: (): boolean => {
      const anchor = sent.findLast(({ kind }) => kind === 'anchor');
      return anchor?.kind === 'anchor' && anchor.nodeId === undefined;
    },
    facts: (more: Pick<RequestFacts, 'isThread' | 'node'>): RequestFacts => ({
      ...more,
      groups: groups(),
      sent: [...sent],
    }),
  };
}

export function toTool(name: string): WireTool {
  return { type: 'function', function: { name, description: '', parameters: {} } };
}

function argsOf(call: { arguments: string }): Record<string, unknown> {
  return JSON.parse(call.arguments) as Record<string, unknown>;
}

export const ok = (value: Record<string, unknown> = {}): ToolResult => ({ ok: true, ...value });
export const refuse = (code: 'E_INVALID_TRANSITION' | 'E_DISK', details = {}): ToolResult => ({
  ok: false,
  error: { code, message: 'Not so.', details },
});
/** The update of a state patch. */
export const patchOf = (calls: readonly (readonly [string, Record<string, unknown>])[]): unknown =>
  (calls[0]?.[1].patches as { update: unknown }[] | undefined)?.[0]?.update;

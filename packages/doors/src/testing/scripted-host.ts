/**
 * An agent with its own model and tools, scripted: a reader of the rehearsal reads what the server answers, and its calls are made
 * with the host's own file tools and the tools of the server.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ReaderKind } from '@crewagent/protocol/reader-trials';
import type { Client } from '@modelcontextprotocol/client';
import type { ChatMessage } from '../../../core/src/llm/wire.ts';
import type { PlannedCall } from '../../../core/src/rehearse/models/leave.ts';
import { replyAs } from '../../../core/src/rehearse/models/reader.ts';

export interface HostOptions {
  readonly project: string;
  readonly client: Pick<Client, 'callTool'>;
  /** What the person types in the chat of the host; undefined: they are asked with forms. */
  readonly chat?: string;
}

export interface Called {
  readonly text: string;
  readonly isError: boolean;
}

const TOOLS = ['fs_read', 'fs_write', 'runtime_complete_node', 'ui_ask_user'].map(
  (name) => ({ type: 'function', function: { name, description: '', parameters: {} } }) as const,
);
const MAX_ROUNDS = 80;

export async function callTool(
  client: Pick<Client, 'callTool'>,
  name: string,
  args: Record<string, unknown> = {},
): Promise<Called> {
  const { content, isError = false } = await client.callTool({ name, arguments: args });
  const [first] = content as readonly { readonly text?: string }[];
  return { text: first?.text ?? '', isError };
}

/** Works from a brief until the reader stops; the last answer of the server. */
export async function playHost(kind: ReaderKind, brief: string, options: HostOptions): Promise<Called> {
  let messages: ChatMessage[] = [{ role: 'user', content: brief }];
  let last: Called = { text: brief, isError: false };
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const { say, calls } = replyAs(kind, { messages, tools: TOOLS });
    const made = calls.length > 0 ? calls : kind === 'lazy' ? [] : [toQuestion(say)];
    if (made.length === 0) return last;
    for (const [index, call] of made.entries()) {
      const answer = await makeCall(call, options);
      last = answer;
      if (answer.text.includes('The workflow is complete.')) return answer;
      if (answer.text.includes('The run has stopped')) return answer;
      if (answer.text.includes('\nSTEP_FILE @pkg/')) {
        messages = [{ role: 'user', content: answer.text }];
        break;
      }
      const id = `call-${round}-${index}`;
      const { name, args } = call;
      messages.push(
        {
          role: 'assistant',
          content: say,
          tool_calls: [{ id, type: 'function', function: { name, arguments: JSON.stringify(args) } }],
        },
        { role: 'tool', tool_call_id: id, content: answer.text.split('\n\n')[0] ?? '' },
      );
    }
  }
  throw new Error('the host did not come to an end');
}

/** A menu that a model would show in its reply. */
function toQuestion(say: string): PlannedCall {
  return { name: 'ui_ask_user', args: { questions: [{ id: 'answer', type: 'text', prompt: say || '?' }] } };
}

async function makeCall(
  { name, args }: PlannedCall,
  { project, client, chat }: HostOptions,
): Promise<Called> {
  const path = typeof args.path === 'string' ? args.path : '';
  const own = /^(?:@project\/)?(?!@)(.*)$/.exec(path)?.[1];
  switch (name) {
    case 'fs_write': {
      const target = join(project, own ?? '');
      await mkdir(dirname(target), { recursive: true });
      const before = args.mode === 'append' ? await readFile(target, 'utf8').catch(() => '') : '';
      await writeFile(target, before + String(args.content));
      return { text: '{"ok":true}', isError: false };
    }
    case 'fs_read':
    case 'fs_list':
      return name === 'fs_read'
        ? callTool(client, 'read_file', { path })
        : { text: '{"ok":true}', isError: false };
    case 'runtime_complete_node':
      return callTool(client, 'complete_node', { ...args });
    case 'ui_ask_user': {
      const asked = await callTool(client, 'ask_person', { ...args });
      return chat === undefined ? asked : callTool(client, 'report_answer', { text: chat });
    }
    default:
      return { text: '{"ok":false}', isError: true };
  }
}

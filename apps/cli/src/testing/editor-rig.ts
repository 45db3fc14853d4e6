/** An editor: the client side of the protocol's own library, connected to `crewagent acp`, here or in a process of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { PassThrough, Readable, Writable } from 'node:stream';
import {
  type ClientCapabilities,
  type CreateElicitationResponse,
  client,
  type InitializeResponse,
  methods,
  ndJsonStream,
  type RequestPermissionRequest,
  type SessionUpdate,
} from '@agentclientprotocol/sdk';
import { onTestFinished } from 'vitest';
import type { CliRig } from './cli-rig.ts';
import { ENTRY, startCommand } from './running-command.ts';

export interface EditorPerson {
  /** Id of the chosen option; undefined cancels. Never resolves if the person does not decide. */
  decide?(request: RequestPermissionRequest): string | undefined | Promise<string | undefined>;
  fillIn?(form: unknown): CreateElicitationResponse;
}

export function spawnAcp(rig: CliRig, args: readonly string[]): ChildProcess & Pipes {
  const child = spawn(process.execPath, [ENTRY, 'acp', ...args], { cwd: rig.folder, env: rig.env });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

interface Pipes {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
}

/** `crewagent acp` in this process. */
function startAcp(rig: CliRig, args: readonly string[]) {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const streams = { stdin, stdout, stderr };
  const running = startCommand(['acp', ...args], { cwd: rig.folder, env: rig.env }, streams);
  onTestFinished(async () => {
    stdin.end();
    await running.ended;
  });
  return { ...streams, ended: running.ended };
}

export async function openEditor(
  rig: CliRig,
  args: readonly string[],
  person?: EditorPerson,
  clientCapabilities?: ClientCapabilities,
) {
  const { ended, ...pipes } = startAcp(rig, args);
  const end = async (): Promise<number | null> => {
    pipes.stdin.end();
    return (await ended).code;
  };
  return { ...(await connectEditor(rig, pipes, { person, clientCapabilities })), end };
}

/** Connected to a process, which can be killed. */
export async function spawnEditor(rig: CliRig, args: readonly string[], person?: EditorPerson) {
  const child = spawnAcp(rig, args);
  const ended = once(child, 'close');
  return {
    ...(await connectEditor(rig, child, { person })),
    child,
    async end(): Promise<number | null> {
      child.stdin.end();
      return (await ended)[0] as number | null;
    },
    async kill(): Promise<void> {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

async function connectEditor(
  rig: CliRig,
  child: Pipes,
  {
    person = {},
    clientCapabilities = {},
  }: { readonly person?: EditorPerson; readonly clientCapabilities?: ClientCapabilities },
) {
  const updates: SessionUpdate[] = [];
  const requests: RequestPermissionRequest[] = [];
  const waiting = new Set<() => void>();
  let err = '';
  child.stderr.on('data', (chunk: Buffer) => {
    err += chunk.toString();
  });
  const changed = (): void => {
    for (const check of waiting) check();
  };
  const app = client({ name: 'test' })
    .onNotification('session/update', ({ params }) => {
      updates.push(params.update);
      changed();
    })
    .onRequest('session/request_permission', async ({ params }) => {
      requests.push(params);
      changed();
      const optionId = await person.decide?.(params);
      return {
        outcome: optionId === undefined ? { outcome: 'cancelled' } : { outcome: 'selected', optionId },
      };
    })
    .onRequest('elicitation/create', ({ params }) => person.fillIn?.(params) ?? { action: 'decline' });
  const connection = app.connect(
    ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>),
  );
  const { agent } = connection;
  const clientInfo = { name: 'test-editor', version: '1' };
  const initialized: InitializeResponse = await agent.request('initialize', {
    protocolVersion: 1,
    clientCapabilities,
    clientInfo,
  });
  const { session } = methods.agent;
  return {
    agent,
    initialized,
    updates,
    requests,
    err: () => err,
    open: (cwd = rig.project) => agent.request(session.new, { cwd, mcpServers: [] }),
    load: (sessionId: string, cwd = rig.project) =>
      agent.request(session.load, { sessionId, cwd, mcpServers: [] }),
    say: (sessionId: string, text: string) =>
      agent.request(session.prompt, { sessionId, prompt: [{ type: 'text', text }] }),
    cancel: (sessionId: string) => agent.notify(session.cancel, { sessionId }),
    /** Resolves when this holds for what was received. */
    until: (holds: () => boolean) =>
      new Promise<void>((resolve) => {
        const check = (): void => {
          if (!holds()) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
      }),
  };
}

/** What the person sees in the end: messages by their author, calls with their last state. */
export function toTranscript(updates: readonly SessionUpdate[]): string[] {
  const lines = new Map<string, string>();
  const add = (key: string, author: string, text: string): void => {
    lines.set(key, (lines.get(key) ?? `${author}: `) + text);
  };
  for (const update of updates) {
    switch (update.sessionUpdate) {
      case 'user_message_chunk':
      case 'agent_message_chunk':
      case 'agent_thought_chunk': {
        const author = update.sessionUpdate
          .replace('_message_chunk', '')
          .replace('agent_thought_chunk', 'thought');
        if (update.content.type === 'text') add(`m${update.messageId}`, author, update.content.text);
        break;
      }
      case 'tool_call':
      case 'tool_call_update':
        lines.set(update.toolCallId, `${update.kind} ${update.status}: ${update.title}`);
        break;
      case 'notice':
        lines.set(`n${lines.size}`, `notice: ${update.title}`);
        break;
      default:
    }
  }
  return [...lines.values()].map((line) => line.replace(/^(\w+): \s+/, '$1: ').trim());
}

/** Title and status of each node. */
export function lastPlan(updates: readonly SessionUpdate[]): string[] {
  const plan = updates.findLast(({ sessionUpdate }) => sessionUpdate === 'plan');
  return plan?.sessionUpdate === 'plan'
    ? plan.entries.map(({ content, status }) => `${content}: ${status}`)
    : [];
}

export function commandsOf(updates: readonly SessionUpdate[]): string[] {
  const found = updates.findLast(({ sessionUpdate }) => sessionUpdate === 'available_commands_update');
  return found?.sessionUpdate === 'available_commands_update'
    ? found.availableCommands.map(({ name }) => name)
    : [];
}

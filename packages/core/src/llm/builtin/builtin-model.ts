/**
 * Adapter of a built-in model: starts its process with the first request, and talks to it with the same client as to any other
 * server.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { parseObject } from '@crewagent/protocol/json-object';
import type { ModelSettings } from '@crewagent/protocol/model';
import { CrewError } from '../../base/crew-error.ts';
import type { LLMAdapter, ModelTraits } from '../llm-adapter.ts';
import { createOpenAiChat } from '../provider/openai-chat.ts';
import * as functions from './host-functions.ts';
import { runHost } from './run-host.ts';

export function createBuiltinModel(settings: ModelSettings, request: HostRequest): LLMAdapter {
  let opening: Promise<{ readonly host: ModelHost; readonly chat: LLMAdapter }> | undefined;
  let isClosed = false;
  let traits: ModelTraits = {
    name: settings.model,
    contextTokens: request.contextTokens,
    takesSeveralSystemMessages: false,
    wantsReasoningBack: false,
    firstByteMs: 1_800_000,
  };

  const open = async () => {
    const host = await openModelHost(request);
    const local: ModelSettings = { ...settings, provider: 'llamacpp', baseUrl: host.baseUrl };
    const chat = createOpenAiChat({ settings: local, apiKey: host.key });
    traits = { ...traits, contextTokens: host.contextTokens || traits.contextTokens };
    return { host, chat };
  };

  return {
    get traits() {
      return traits;
    },
    async chat(request, watch) {
      if (isClosed) return { kind: 'aborted' };
      opening ??= open();
      try {
        const { chat } = await opening;
        return await chat.chat(request, watch);
      } catch (error) {
        opening = undefined;
        if (!(error instanceof CrewError)) throw error;
        return {
          kind: 'failed',
          error: { code: 'LLM_HTTP_ERROR', message: error.message, isRetryable: false },
        };
      }
    },
    close() {
      isClosed = true;
      void opening?.then(
        ({ host, chat }) => {
          chat.close();
          host.release();
        },
        () => undefined,
      );
    },
  };
}

export interface HostRequest {
  /** Module file of the llama runtime. */
  readonly runtime: string;
  /** Path of the GGUF file. */
  readonly model: string;
  /** Path the script of the process is written to. */
  readonly script: string;
  readonly contextTokens: number;
}

interface ModelHost {
  readonly baseUrl: string;
  readonly key: string;
  /** Context size the model was loaded with. */
  readonly contextTokens: number;
  release(): void;
}

interface RunningHost {
  readonly started: Promise<Omit<ModelHost, 'release'>>;
  readonly child: ChildProcess;
  users: number;
}

const running = new Map<string, RunningHost>();

/**
 * A built-in model in a child process: started with the first request, shared by all users in this process, and stopped with the
 * last of them.
 */
async function openModelHost(request: HostRequest): Promise<ModelHost> {
  const known = running.get(request.model);
  const host = known && known.child.exitCode === null ? known : await start(request);
  host.users++;
  const release = (): void => {
    host.users--;
    if (host.users > 0) return;
    host.child.kill();
    if (running.get(request.model) === host) running.delete(request.model);
  };
  try {
    return { ...(await host.started), release };
  } catch (error) {
    release();
    throw error;
  }
}

async function start({ runtime, model, script, contextTokens }: HostRequest): Promise<RunningHost> {
  await mkdir(dirname(script), { recursive: true });
  await writeFile(script, toHostScript(), { mode: 0o600 });
  const key = randomBytes(24).toString('hex');
  // One core stays free for other programs.
  const threads = Math.max(1, availableParallelism() - 1);
  const options = { runtime: pathToFileURL(runtime).href, model, contextTokens, threads, key };
  const child = spawn(process.execPath, [script], {
    env: { ...process.env, CREWAGENT_MODEL_HOST: JSON.stringify(options), ELECTRON_RUN_AS_NODE: '1' },
    stdio: ['pipe', 'pipe', 'ignore'],
    windowsHide: true,
  });
  const host: RunningHost = { child, users: 0, started: whenReady(child, key) };
  running.set(model, host);
  return host;
}

interface HostMessage {
  readonly port?: number;
  readonly contextTokens?: number;
  readonly error?: string;
}

function whenReady(child: ChildProcess, key: string): Promise<Omit<ModelHost, 'release'>> {
  return new Promise((resolve, reject) => {
    const failed = (why: string): void =>
      reject(
        new CrewError(
          'LLM_HTTP_ERROR',
          `The built-in model could not be loaded: ${why}. Choose a smaller one, or another model.`,
        ),
      );
    child.on('error', ({ message }) => failed(message));
    child.on('exit', (code, signal) => failed(`its process ended (${signal ?? code})`));
    if (!child.stdout) return;
    createInterface({ input: child.stdout }).on('line', (line) => {
      // Ignores other lines, which the library prints.
      const message: HostMessage | undefined = parseObject(line);
      if (message?.port !== undefined)
        resolve({
          baseUrl: `http://127.0.0.1:${message.port}/v1`,
          key,
          contextTokens: message.contextTokens ?? 0,
        });
      else if (message?.error !== undefined) failed(message.error);
    });
  });
}

/** The script of the process, as text: that process has no other code of ours besides the llama runtime. */
export function toHostScript(): string {
  const parts = [...Object.values(functions), runHost].map(String);
  return `${OPENING}\n${parts.join('\n\n')}\n${CLOSING}`;
}

const OPENING = `import { createServer } from 'node:http';
process.stdin.on('end', () => process.exit()).on('error', () => process.exit()).resume();
const options = JSON.parse(process.env.CREWAGENT_MODEL_HOST);
const say = (message) => process.stdout.write(JSON.stringify(message) + '\\n');`;

const CLOSING = `try {
  const format = { parseOutput, toChatHistory, toGrammarSchema, partialReply };
  await runHost({ llama: await import(options.runtime), createServer, say, format }, options);
} catch (error) {
  say({ error: error instanceof Error ? error.message : String(error) });
  process.exit(1);
}`;

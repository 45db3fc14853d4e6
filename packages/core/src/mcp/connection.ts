/**
 * The connection to one MCP server: started on first use, restarted after a crash with increasing backoff. Tracks status, tools
 * and the last error. Every problem with a server is a `ServerFailure`.
 */
import type { ServerStatus } from '@crewagent/protocol/mcp';
import type {
  CallToolResult,
  Client,
  ElicitRequestFormParams,
  ElicitResult,
  Progress,
  Tool,
} from '@modelcontextprotocol/client';
import { INSIDE_PROJECT } from '../processes/inside-paths.ts';
import type { TreeCommand } from '../processes/process-tree.ts';
import {
  type HttpAddress,
  LoginRequired,
  type OpenClient,
  openClient,
  ServerFailure,
} from './open-client.ts';
import type { ServerAuth } from './server-auth.ts';
import { type ServerCommand, type ServerView, type ServerViews, toStartedCommand } from './server-view.ts';
import { untilAborted } from './until-aborted.ts';

export interface ConnectionOptions {
  readonly target: ServerCommand | HttpAddress;
  /** The folder reported to the server as its root. */
  readonly project: string;
  /** Values to mask wherever the server repeats them. */
  readonly secrets: readonly string[];
  /** The login, for a server over HTTP. */
  readonly auth?: ServerAuth | undefined;
  /** For a server in the sandbox; default: what it changes is discarded. */
  readonly views?: ServerViews | undefined;
  readonly startTimeoutMs?: number;
  /** Pause after a failed start; doubled with each consecutive failure. */
  readonly backoffMs?: number;
}

/** Handles what a server requests during a call. */
export interface CallHandlers {
  onElicit?: ((form: ElicitRequestFormParams) => Promise<ElicitResult>) | undefined;
  onProgress?: ((progress: Progress) => void) | undefined;
}

const START_TIMEOUT_MS = 30_000;
const BACKOFF_MS = 1_000;
const MAX_BACKOFF_MS = 60_000;
/** The tool host enforces the time limit of a call; the SDK's limit must not apply first. */
const NO_TIMEOUT_MS = 2 ** 31 - 1;
/** A shorter text occurs too often to be masked. */
const MIN_SECRET_LENGTH = 6;

export class McpConnection {
  readonly #options: ConnectionOptions;
  readonly #startTimeoutMs: number;
  readonly #secrets: readonly string[];
  #state: ServerStatus['state'] = 'stopped';
  #error: string | undefined;
  #lastStderr = '';
  #open: OpenClient | undefined;
  #view: ServerView | undefined;
  #starting: Promise<void> | undefined;
  #tools: readonly Tool[] = [];
  #areToolsStale = false;
  #failures = 0;
  #retryAtMs = 0;
  #activeCalls = 0;
  #isClosed = false;
  #onElicit: CallHandlers['onElicit'];

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#startTimeoutMs = options.startTimeoutMs ?? START_TIMEOUT_MS;
    // A header may begin with the token type.
    const parts = options.secrets.flatMap((value) => [value, value.replace(/^\S+ +/, '')]);
    this.#secrets = parts.filter(({ length }) => length >= MIN_SECRET_LENGTH);
  }

  get status(): ServerStatus {
    const stderr = this.hide(this.#open?.stderr() ?? this.#lastStderr);
    return { state: this.#state, error: this.#error, stderr: stderr || undefined };
  }

  /** The tools as last listed, also while the server is down. */
  get tools(): readonly Tool[] {
    return this.#tools;
  }

  /** The view of the project in which the server runs; undefined for a server without a sandbox. */
  get view(): ServerView | undefined {
    return this.#view;
  }

  /** Masks the secrets of the server in a text, and real paths if it runs in the sandbox. */
  hide(text: string): string {
    const { auth } = this.#options;
    const secrets = auth ? [...this.#secrets, ...auth.secrets()] : this.#secrets;
    const shown = secrets.reduce((masked, secret) => masked.replaceAll(secret, '[hidden]'), text);
    return this.#view?.hide(shown) ?? shown;
  }

  /** Starts the server if necessary, and lists its tools if they changed. Rejects with a `ServerFailure`. */
  async ready(signal: AbortSignal): Promise<void> {
    if (this.#isClosed) throw new ServerFailure('The server was stopped.');
    const isPausing = this.#state === 'failed' && performance.now() < this.#retryAtMs;
    if (isPausing) throw new ServerFailure(this.#error);
    if (this.#state === 'needs-login' && (await this.#options.auth?.isReady()) === false)
      throw new LoginRequired();
    if (this.#state !== 'ready') {
      this.#starting ??= this.#start().finally(() => {
        this.#starting = undefined;
      });
      return untilAborted(this.#starting, signal, toAborted);
    }
    if (!this.#areToolsStale || !this.#open) return;
    try {
      await untilAborted(this.#listTools(this.#open.client), signal, toAborted);
    } catch (cause) {
      if (signal.aborted) throw cause;
      const failure = await this.#toFailure(cause);
      await this.#drop();
      throw failure;
    }
  }

  /** Aborting cancels the call and kills the server, unless it has other calls in progress. */
  async call(
    name: string,
    args: Record<string, unknown>,
    signal: AbortSignal,
    { onElicit, onProgress }: CallHandlers = {},
  ): Promise<CallToolResult> {
    const open = this.#open;
    if (!open) throw new ServerFailure(this.#error ?? 'The server is not running.');
    this.#activeCalls++;
    this.#onElicit = onElicit;
    try {
      await this.#view?.beginCall();
      return await open.client.callTool(
        { name, arguments: args },
        { signal, timeout: NO_TIMEOUT_MS, onprogress: onProgress },
      );
    } catch (cause) {
      const login = await this.#options.auth?.toLoginRequired(cause);
      if (login) throw await this.#requireLogin(login, cause);
      throw new ServerFailure(this.hide(open.closeReason() ?? toReason(cause, this.#startTimeoutMs)));
    } finally {
      this.#activeCalls--;
      if (this.#onElicit === onElicit) this.#onElicit = undefined;
      // A server may ignore the cancellation; killing it ends work that nobody waits for.
      if (signal.aborted && this.#activeCalls === 0 && this.#open === open) {
        this.#state = 'stopped';
        void this.#drop();
      }
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#state = 'stopped';
    await this.#drop();
    await this.#starting?.catch(() => undefined);
  }

  async #start(): Promise<void> {
    this.#state = 'starting';
    const { target, project } = this.#options;
    const onToolsChanged = (): void => {
      this.#areToolsStale = true;
    };
    const ready = await this.#prepareTarget(target);
    // A server does not say which call a question belongs to.
    const onElicit: CallHandlers['onElicit'] = (form) =>
      (this.#activeCalls === 1 ? this.#onElicit?.(form) : undefined) ??
      Promise.resolve({ action: 'decline' });
    const { auth } = this.#options;
    const root = this.#view ? INSIDE_PROJECT : project;
    const open = openClient({ target: ready, auth, project: root, onToolsChanged, onElicit });
    this.#open = open;
    open.client.onclose = () => this.#handleClose(open);
    try {
      await open.connect(this.#startTimeoutMs);
      await this.#listTools(open.client);
      if (this.#isClosed) throw new Error('The server was stopped.');
      this.#state = 'ready';
      this.#error = undefined;
      this.#failures = 0;
    } catch (cause) {
      const failure = await this.#toFailure(cause, open.closeReason());
      this.#open ??= open;
      await this.#drop();
      throw failure;
    }
  }

  async #prepareTarget(target: ConnectionOptions['target']): Promise<TreeCommand | HttpAddress> {
    try {
      if (!('command' in target)) return target;
      const { command, view } = await toStartedCommand(target, this.#options.views);
      this.#view = view;
      if (!this.#isClosed) return command;
      await this.#closeView();
      throw new Error('The server was stopped.');
    } catch (cause) {
      throw this.#fail(toReason(cause, this.#startTimeoutMs));
    }
  }

  #handleClose(open: OpenClient): void {
    if (this.#open !== open) return;
    this.#open = undefined;
    this.#lastStderr = open.stderr();
    void this.#closeView();
    if (this.#state === 'ready') this.#fail(open.closeReason() ?? 'The connection to the server was lost.');
  }

  async #listTools(client: Client): Promise<void> {
    const { tools } = await client.listTools(undefined, { timeout: this.#startTimeoutMs });
    this.#tools = tools;
    this.#areToolsStale = false;
  }

  async #toFailure(cause: unknown, closeReason?: string): Promise<ServerFailure> {
    const login = await this.#options.auth?.toLoginRequired(cause);
    if (!login) return this.#fail(closeReason ?? toReason(cause, this.#startTimeoutMs));
    this.#state = 'needs-login';
    this.#error = undefined;
    return login;
  }

  /** A server that wants more for one call stays usable for others. */
  async #requireLogin(login: LoginRequired, cause: unknown): Promise<LoginRequired> {
    if (cause === login) {
      this.#state = 'needs-login';
      this.#error = undefined;
      await this.#drop();
    }
    return login;
  }

  #fail(reason: string): ServerFailure {
    const { backoffMs = BACKOFF_MS } = this.#options;
    this.#state = 'failed';
    this.#error = this.hide(reason);
    this.#retryAtMs = performance.now() + Math.min(backoffMs * 2 ** this.#failures, MAX_BACKOFF_MS);
    this.#failures++;
    return new ServerFailure(this.#error);
  }

  async #drop(): Promise<void> {
    const dropped = this.#open;
    this.#open = undefined;
    if (!dropped) return;
    this.#lastStderr = dropped.stderr();
    await dropped.client.close().catch(() => undefined);
    await this.#closeView();
  }

  async #closeView(): Promise<void> {
    const view = this.#view;
    this.#view = undefined;
    await view?.view.close();
  }
}

function toAborted(): ServerFailure {
  return new ServerFailure('The wait for the server was aborted.');
}

function toReason(cause: unknown, timeoutMs: number): string {
  const text = cause instanceof Error ? cause.message : String(cause);
  if (/timed? ?out/i.test(text)) return `The server did not answer within ${Math.round(timeoutMs / 1000)} s.`;
  // What fetch says of every address that it cannot connect to; the code is in a cause.
  if (/fetch failed/.test(text)) {
    const code = networkCodeOf(cause);
    return `The server cannot be reached${code === undefined ? '' : ` (${code})`}. Check its address, and whether it is running.`;
  }
  return text.slice(0, 2_000);
}

const MAX_CAUSES = 8;

/** The code of the innermost cause, which is the one of the system. */
function networkCodeOf(error: unknown): string | undefined {
  let code: string | undefined;
  let cause = error;
  for (let depth = 0; depth < MAX_CAUSES && cause instanceof Error; depth++) {
    if ('code' in cause && typeof cause.code === 'string' && /^[A-Z][A-Z0-9_]{2,60}$/.test(cause.code))
      code = cause.code;
    cause = cause.cause;
  }
  return code;
}

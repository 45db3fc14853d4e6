/**
 * The whole server on temporary folders: as an app without a port, or listening.
 */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createRuntime, type Runtime, sha256Of } from '@crewagent/core';
import { type ApiClient, createApiClient } from '@crewagent/protocol/api/client';
import type { WorkSummary } from '@crewagent/protocol/api/work-messages';
import type { PendingItem } from '@crewagent/protocol/story/items';
import type { Hono } from 'hono';
import { onTestFinished } from 'vitest';
import { writeTree } from '../../../core/src/testing/file-tree.ts';
import {
  type FakeProvider,
  type ProviderScript,
  startFakeProvider,
} from '../../../core/src/testing/models/fake-provider.ts';
import { branchingPackage } from '../../../core/src/testing/packages/branching-package.ts';
import { tempFolder } from '../../../core/src/testing/temp-folder.ts';
import { createApp } from '../app.ts';
import type { ServerEnv } from '../mount.ts';
import { createTokenAccess } from '../security/access.ts';
import { createOwnHosts } from '../security/own-hosts.ts';
import { type RunningServer, type ServeOptions, startServer } from '../serve.ts';
import { createServerParts, type ServerParts, type ServerTiming } from '../server-parts.ts';
import { createStaticFiles } from '../static-files.ts';

export const HELLO_BRANCH = fileURLToPath(new URL('../../../../examples/hello-branch', import.meta.url));

/** Answers to the questions of `hello-branch`. */
export const ANSWERS = { projectName: 'Nova', goal: 'Ship it', existing: 'nothing' };

export const TOKEN = 'a-token-for-tests-that-is-long-enough';
export const HOST = '127.0.0.1:4000';
export const ORIGIN = `http://${HOST}`;

export interface ServerRig {
  readonly root: string;
  readonly project: string;
  readonly runtime: Runtime;
  readonly parts: ServerParts;
  readonly app: Hono<ServerEnv>;
  readonly client: ApiClient;
  readonly bugs: unknown[];
  /** Sends a request as our own page does; headers set to undefined are omitted. */
  call(path: string, init?: CallInit): Promise<Response>;
}

export interface CallInit {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: string;
}

export async function createServerRig(
  options: {
    readonly timing?: Partial<ServerTiming>;
    readonly bodyTimeMs?: number;
    readonly monotonicMs?: () => number;
    readonly webRoot?: string;
    readonly examplesRoot?: string;
    readonly threadFile?: string;
    readonly env?: Readonly<Record<string, string>>;
  } = {},
): Promise<ServerRig> {
  const root = await tempFolder();
  const project = join(root, 'project');
  await writeTree(project, { 'README.md': '# Project\n' });
  const bugs: unknown[] = [];
  const onBug = (_: string, error: unknown): void => void bugs.push(error);
  const env = options.env ?? { CREWAGENT_API_KEY: 'sk-of-the-environment' };
  const runtime: Runtime = createRuntime({ storeRoot: join(root, 'store'), env, onBug });
  const parts = createServerParts({
    runtime,
    env,
    examplesRoot: options.examplesRoot,
    threadFile: options.threadFile,
    timing: options.timing,
    monotonicMs: options.monotonicMs,
    onBug,
  });
  onTestFinished(() => parts.close());
  const app = createApp({
    parts,
    access: createTokenAccess(TOKEN),
    hosts: createOwnHosts('127.0.0.1', 4000),
    pages: createStaticFiles(options.webRoot),
    checksResponses: true,
    bodyTimeMs: options.bodyTimeMs,
  });
  const inProcess: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    request.headers.set('host', HOST);
    return app.fetch(request, {});
  };
  return {
    root,
    project,
    runtime,
    parts,
    app,
    bugs,
    client: createApiClient({ baseUrl: ORIGIN, token: TOKEN, fetch: inProcess }),
    /** Sends a request as our own page does; headers set to undefined are omitted. */
    call(path: string, { method = 'GET', headers = {}, body }: CallInit = {}): Promise<Response> {
      const all = { host: HOST, origin: ORIGIN, authorization: `Bearer ${TOKEN}`, ...headers };
      const given = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined);
      return Promise.resolve(
        app.request(`${ORIGIN}${path}`, { method, headers: Object.fromEntries(given), body }, {}),
      );
    },
  };
}

export interface LiveServer extends RunningServer {
  readonly root: string;
  readonly project: string;
  readonly client: ApiClient;
  readonly port: number;
}

/** Starts a server that listens on a free port. */
export async function startTestServer(options: Partial<ServeOptions> = {}): Promise<LiveServer> {
  const root = await tempFolder();
  const project = join(root, 'project');
  await writeTree(project, { 'README.md': '# Project\n' });
  const server = await startServer({
    storeRoot: join(root, 'store'),
    env: { CREWAGENT_API_KEY: 'sk-of-the-environment' },
    ...options,
  });
  onTestFinished(() => server.stop());
  const { url, token } = server;
  return {
    ...server,
    root,
    project,
    client: createApiClient({ baseUrl: url, token }),
    port: Number(new URL(url).port),
  };
}

export interface ReadyToRun {
  readonly projectId: string;
  readonly packageHash: string;
}

/** Opens a project and installs a package. */
export async function prepare(
  { client, project }: Pick<ServerRig, 'client' | 'project'>,
  path: string = HELLO_BRANCH,
): Promise<ReadyToRun> {
  const { projectId } = await client.projects.open({ body: { path: project } });
  const imported = await client.packages.importPath({ body: { path } });
  return { projectId, packageHash: imported.package.hash };
}

/** Starts a scripted provider and registers it as the model `scripted`. */
export async function addScriptedModel(client: ApiClient, script: ProviderScript): Promise<FakeProvider> {
  const provider = await startFakeProvider(script);
  onTestFinished(() => provider.close());
  await client.models.put({
    name: 'scripted',
    body: { settings: { provider: 'generic', baseUrl: provider.url, model: 'scripted' } },
  });
  return provider;
}

export type RigOrServer = Pick<ServerRig | LiveServer, 'client' | 'project' | 'root'>;

/** Creates a standalone run: of `hello-branch` for the rehearsal model, else of the branching package. */
export async function makeRun(
  rig: RigOrServer,
  model = 'rehearsal',
  more: { readonly isHeldBack?: boolean } = {},
): Promise<string> {
  await writeTree(join(rig.root, 'package'), branchingPackage());
  const ready = await prepare(rig, model === 'rehearsal' ? undefined : join(rig.root, 'package'));
  const body = { ...ready, kind: 'run', model, limits: { maxTurns: 1_000 }, ...more } as const;
  return (await rig.client.works.create({ body })).workId;
}

type ListQuery = NonNullable<NonNullable<Parameters<ApiClient['works']['list']>[0]>['query']>;

/** The runs in the list of Works. */
export async function listRuns({ works }: ApiClient, query: ListQuery = {}): Promise<WorkSummary[]> {
  return (await works.list({ query })).works.filter(({ run }) => run !== undefined);
}

/** The conversations in the list of Works. */
export async function listConversations({ works }: ApiClient, query: ListQuery = {}): Promise<WorkSummary[]> {
  return (await works.list({ query })).works.filter(({ run }) => run === undefined);
}

/** Reads messages of a stream until one matches, then closes the stream. */
export async function until<Message>(
  stream: AsyncGenerator<Message, void>,
  fits: (message: Message) => boolean,
): Promise<Message[]> {
  const seen: Message[] = [];
  for await (const message of stream) {
    seen.push(message);
    if (fits(message)) break;
  }
  return seen;
}

/** The hash of the preview that a client was shown, as an approval needs it. */
export function shownOf(pending: PendingItem | undefined): string | undefined {
  if (pending?.kind !== 'approval') return undefined;
  return sha256Of(pending.action.preview.text);
}

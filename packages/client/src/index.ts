/**
 * `@crewagent/client`: starts Works on a CrewAgent server, follows them, and answers what they ask. For Node and browsers.
 */
import { type ApiClient, type ClientOptions, createApiClient } from '@crewagent/protocol/api/client';
import type { InputOf } from '@crewagent/protocol/api/define-endpoint';
import type { Endpoints } from '@crewagent/protocol/api/endpoints';
import { createWork, type Work } from './work.ts';

export { type ApiClient, ApiError } from '@crewagent/protocol/api/client';
export type { WorkMessage } from '@crewagent/protocol/api/work-messages';
export type { EvidenceSheet } from '@crewagent/protocol/evidence-schema';
export type { ItemOf, PendingItem, StoryItem } from '@crewagent/protocol/story/items';
export type { Story } from '@crewagent/protocol/story/story';
export type { WorkStory } from '@crewagent/protocol/story/work-story';
export type { ApprovalOptions, Stop, Work } from './work.ts';

type CreateBody = InputOf<Endpoints['works']['create']>['body'];

export interface StartOptions extends Omit<CreateBody, 'projectId' | 'packageHash' | 'kind'> {
  /** A folder on the machine of the server; it becomes a project. */
  readonly project: string;
  /** The hash of an installed package, or a path or an address to install it from. Not for a chat. */
  readonly package?: string;
  /** Default: `run`, a workflow outside of a conversation. */
  readonly kind?: CreateBody['kind'];
}

export interface Client {
  /** Every endpoint of the API, by group and name. */
  readonly api: ApiClient;
  start(options: StartOptions): Promise<Work>;
  /** A run or a conversation that exists, by its id. */
  work(workId: string): Work;
}

/** The URL of a server, such as `http://127.0.0.1:4000`, and its token. */
export type ConnectOptions = Pick<ClientOptions, 'token' | 'fetch'> & { readonly url: string };

export function connect({ url, ...options }: ConnectOptions): Client {
  const api = createApiClient({ baseUrl: url, ...options });
  return {
    api,
    work: (workId) => createWork(api, workId),
    async start({ project, package: source, kind = 'run', ...body }) {
      const { projectId } = await api.projects.open({ body: { path: project } });
      const packageHash = source && (await toHash(api, source));
      const { workId } = await api.works.create({
        body: { ...body, projectId, kind, ...(packageHash ? { packageHash } : {}) },
      });
      return createWork(api, workId);
    },
  };
}

async function toHash(api: ApiClient, source: string): Promise<string> {
  if (/^[0-9a-f]{64}$/.test(source)) return source;
  return (await api.packages.importPath({ body: { path: source } })).package.hash;
}

/**
 * Conversations and runs: list, show, create, rename, archive, delete.
 */

import { basename, extname } from 'node:path/posix';
import {
  CrewError,
  type ExportFormat,
  exportArtifact,
  exportRun,
  findRun,
  type LogPage,
  type LogPages,
  readEvidence,
  readMenu,
  readPosition,
  type Store,
  showWork,
  type WorkAddress,
} from '@crewagent/core';
import { ENDPOINTS } from '@crewagent/protocol/api/endpoints';
import { surfaceOf } from '@crewagent/protocol/api/page-address';
import type { WorkSummary } from '@crewagent/protocol/api/work-messages';
import { evidenceSchema } from '@crewagent/protocol/evidence-schema';
import { PAGE_ITEMS, toLastPage, toPage } from '@crewagent/protocol/story/pages';
import type { Story } from '@crewagent/protocol/story/story';
import { activeStory, type WorkStory } from '@crewagent/protocol/story/work-story';
import { PAGE_APPROVAL } from '@crewagent/protocol/tools';
import type { WorkRecord } from '@crewagent/protocol/work';
import type * as z from '@crewagent/protocol/zod';
import { mount, mountRaw, type Router } from '../mount.ts';
import { scopeOf } from '../security/access.ts';
import { FILE_SECURITY_POLICY } from '../security/security-headers.ts';
import type { ServerParts } from '../server-parts.ts';
import type { WorkCommand } from '../works/held-works.ts';
import { toSummary, withoutPath } from '../works/summaries.ts';
import { toAttachment, toFileTitle } from './saved-files.ts';

export function mountWorks(router: Router, parts: ServerParts): void {
  mountReading(router, parts);
  mountLifecycle(router, parts);
}

function mountReading(router: Router, parts: ServerParts): void {
  const { runtime, worksList, context, hub } = parts;
  const { store } = runtime;
  const { works } = ENDPOINTS;
  mount(router, works.list, ({ viewer, query: { archived = false, kinds, project, ...query } }) =>
    worksList.list({
      ...query,
      scope: scopeOf(viewer, project),
      isArchived: archived === 'any' ? undefined : archived,
      kinds: kinds?.split(','),
    }),
  );
  mount(router, works.show, async ({ params: { workId } }) => {
    const address = await store.works.find(workId);
    const record = await store.works.read(address);
    const isOpen = await store.works.isLeased(address);
    const view = await readLiveView(address, parts);
    const { model, tools, limits } = record;
    return {
      work: toShownSummary(record, view),
      view: toLastPage(view.own),
      state: view.state,
      runs: Object.fromEntries([...view.runs].map(([id, run]) => [id, toLastPage(run)])),
      model: withoutPath(model),
      tools,
      limits,
      isOpen,
    };
  });
  mount(router, works.position, async ({ params: { workId } }) => ({
    position: await readPosition(store, await findRun(store, workId), context),
  }));
  mount(router, works.menu, async ({ params: { workId }, headers }) => {
    await store.works.find(workId);
    const { agent } = (await hub.viewOf(workId)).state;
    const menu = agent ? await readMenu(agent, surfaceOf(headers), { store, context }) : [];
    return { entries: menu };
  });
  mount(router, works.checkLog, async ({ params: { workId } }) =>
    store.works.readLog(await store.works.find(workId), () => undefined),
  );
  mount(router, works.evidence, async ({ params: { workId } }) => {
    const { called: _, ...sheet } = await readEvidence(store, await findRun(store, workId));
    return evidenceSchema.parse(sheet);
  });
  mount(router, works.items, async ({ params: { workId }, query: { before, limit = PAGE_ITEMS } }) => {
    await store.works.find(workId);
    return toPage((await hub.viewOf(workId)).own, before, Math.min(limit, MAX_PAGE));
  });
  const readPage = createLogPager(store.works);
  mount(router, works.log, ({ params: { workId }, query }) => readPage(workId, query));
  mountRaw(router, works.exportFile, async ({ params: { workId }, query: { format, language } }) => {
    const { view, ...report } = await showWork(store, await findRun(store, workId));
    const text = await exportRun(
      { ...report, view: view.own, called: Object.fromEntries(view.runs) },
      { store, format, language },
    );
    return toFile(text, format, `${toFileTitle(view)}.${format === 'handover' ? 'md' : format}`);
  });
  mountRaw(router, works.exportArtifact, async ({ params: { workId }, query: { path, format } }) => {
    const record = await store.works.read(await store.works.find(workId));
    const content = await exportArtifact(record, { store, path, format });
    return toFile(content, format, `${basename(path, extname(path))}.${format}`);
  });
}

/** A file to be saved; if somebody opens it here, it may do nothing. */
function toFile(content: string | Uint8Array, format: ExportFormat, name: string): Response {
  return new Response(typeof content === 'string' ? content : new Uint8Array(content), {
    headers: {
      'content-type': FILE_TYPES[format],
      'content-disposition': toAttachment(name),
      'content-security-policy': FILE_SECURITY_POLICY,
    },
  });
}

const FILE_TYPES: Readonly<Record<ExportFormat, string>> = {
  md: 'text/markdown; charset=utf-8',
  handover: 'text/markdown; charset=utf-8',
  json: 'application/json; charset=utf-8',
  html: 'text/html; charset=utf-8',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  pdf: 'application/pdf',
};

/** A Work with its runs and those they called. The stream that the page opens next continues the same views. */
async function readLiveView({ projectId, workId }: WorkAddress, parts: ServerParts): Promise<WorkStory> {
  const { hub, runtime } = parts;
  const { own, state } = await hub.viewOf(workId);
  const runs = new Map<string, Story>();
  const addRuns = async (runIds: readonly string[], known: ReadonlySet<string>): Promise<void> => {
    for (const runId of runIds) {
      // A run may have been deleted; a damaged log may name one twice.
      if (!known.has(runId) || runs.has(runId)) continue;
      const run = (await hub.viewOf(runId)).own;
      runs.set(runId, run);
      await addRuns(calledBy(run), known);
    }
  };
  const runIds = [...calledBy(own), ...state.runIds];
  if (runIds.length > 0) {
    const stored = await runtime.store.works.addresses({ projectId, isRun: true });
    await addRuns(runIds, new Set(stored.map((address) => address.workId)));
  }
  return { workId, own, state, runs };
}

function calledBy({ calls }: Story): string[] {
  return calls.map(({ childId }) => childId);
}

/** The log is newer than the record, which is written a moment later. */
function toShownSummary(record: WorkRecord, view: WorkStory): WorkSummary {
  if (record.workflowRef !== undefined) return toSummary(record, view.own);
  const { kind, agent, activeRunId } = view.state;
  return toSummary({ ...record, kind, agent, activeRunId }, activeStory(view));
}

type NewWork = z.output<typeof ENDPOINTS.works.create.body>;

function mountLifecycle(router: Router, { runtime, openWorks, hosts, hub, worksList }: ServerParts): void {
  const { store } = runtime;
  const { works } = ENDPOINTS;
  mount(router, works.create, async ({ body, headers }) => {
    rejectMismatches(body);
    const { labels } = body;
    if (labels && !hosts.areElsewhere)
      throw new CrewError('USAGE', 'Only the workers of a team have labels. Leave them out.');
    const { kind, packageHash, agent, workflow, model, approval, input, documents, isHeldBack } = body;
    const { path } = await store.projects.read(body.projectId);
    const projectPath = store.projects.addressOf?.(body.projectId) ?? path;
    const surface = surfaceOf(headers);
    const choice = { package: packageHash, agent };
    const request = {
      projectPath,
      model: { model },
      approval,
      usualApproval: PAGE_APPROVAL,
      limits: body.limits,
    };
    if (kind === 'run') {
      const pinned = { ...choice, package: packageHash ?? '', workflow, documents };
      return openWorks.register(
        { create: { ...request, ...pinned }, labels },
        isHeldBack ? undefined : (run, options) => run.start(input, options),
      );
    }
    const first: WorkCommand = (session, options) =>
      kind === 'workflow'
        ? session.startWorkflow({ ...choice, workflow, input, documents }, options)
        : session.input(input ?? '', { ...options, surface });
    return openWorks.register(
      { create: { ...request, ...choice, kind, surface }, labels },
      kind === 'workflow' || input !== undefined ? first : undefined,
    );
  });
  mount(router, works.change, async ({ params: { workId }, body: { title, isArchived, approval } }) => {
    const address = await store.works.find(workId);
    if (approval !== undefined) {
      // While a turn runs it holds from the next call on, which reads it from the record.
      await openWorks
        .useClosed(workId, () => runtime.setApproval(address, approval))
        .catch(async (error: unknown) => {
          if (!(error instanceof CrewError) || error.code !== 'RUN_NOT_READY') throw error;
          await runtime.setApproval(address, approval);
        });
    }
    if (title !== undefined) await runtime.renameConversation(address, title);
    if (isArchived !== undefined) await runtime.archiveConversation(address, isArchived);
    worksList.scheduleRefresh();
    return worksList.summaryOf(await store.works.read(address));
  });
  mount(router, works.remove, async ({ params: { workId } }) => {
    const runs = await openWorks.useClosed(workId, async (address) => {
      const all = await runtime.listRuns();
      await runtime.deleteWork(address);
      return all.filter(({ record }) => record?.parentId === workId || record?.call?.rootId === workId);
    });
    hub.drop(workId);
    for (const run of runs) hub.drop(run.workId);
  });
}

/** Rejects options that do not apply to the kind of Work. */
function rejectMismatches({ kind, packageHash, agent, workflow, documents = [], isHeldBack }: NewWork): void {
  const reject = (message: string): never => {
    throw new CrewError('USAGE', message);
  };
  if (kind === 'chat' && (packageHash ?? agent) !== undefined)
    reject('A chat has no agent. Use the kind "agent" to talk to an agent.');
  if ((kind === 'chat' || kind === 'agent') && (workflow !== undefined || documents.length > 0))
    reject('Workflows and documents need a conversation of the kind "workflow".');
  if (kind === 'run' && packageHash === undefined) reject('A run needs a workflow. Name its package.');
  if (kind !== 'run' && isHeldBack) reject('Only a run can be created without being started.');
}

const MAX_PAGE = 1_000;
const MOST_CACHED = 50;

interface PageQuery {
  readonly after?: number | undefined;
  readonly limit?: number | undefined;
}

/** Logs in pages. The page offsets of recently read logs are cached. */
function createLogPager(works: Pick<Store['works'], 'find' | 'pageLog'>) {
  const recent = new Map<string, LogPages>();

  /** The least recently used one is evicted. */
  const pagesOf = async (id: string): Promise<LogPages> => {
    // Asked for each time: one that was deleted is not served from the cache.
    const address = await works.find(id);
    const pages = recent.get(id) ?? works.pageLog(address);
    recent.delete(id);
    recent.set(id, pages);
    const [oldest] = recent.keys();
    if (recent.size > MOST_CACHED && oldest !== undefined) recent.delete(oldest);
    return pages;
  };

  return async (
    id: string,
    { after = 0, limit = MAX_PAGE }: PageQuery,
  ): Promise<Pick<LogPage, 'events' | 'lastSeq'>> => {
    const pages = await pagesOf(id);
    const { events, lastSeq } = await pages.read({ after, limit: Math.min(limit, MAX_PAGE) });
    return { events, lastSeq };
  };
}

/** What hosts can read of the runs of their project: brief, state document, evidence sheet, artifacts. */
import { CrewError, findRun, openProjectFiles, type Runtime, readEvidence, showWork } from '@crewagent/core';
import { describeTotals, type EvidenceSheet } from '@crewagent/protocol/evidence';
import type { RunRecord } from '@crewagent/protocol/run';
import type { HostProject, OpenRuns } from './open-runs.ts';

export interface ResourceParts {
  readonly openRuns: OpenRuns;
  readonly runtime: Runtime;
}

export interface ListedResource {
  readonly uri: string;
  readonly name: string;
  readonly mimeType: string;
}

const MAX_RUNS = 20;
const MAX_ARTIFACTS = 100;
const MARKDOWN = 'text/markdown';
const JSON_TYPE = 'application/json';

export const RESOURCE_TEMPLATES = [
  { uriTemplate: 'crewagent://runs/{run}/brief', name: 'Brief of the current step', mimeType: MARKDOWN },
  { uriTemplate: 'crewagent://runs/{run}/state', name: 'State document', mimeType: MARKDOWN },
  { uriTemplate: 'crewagent://runs/{run}/evidence', name: 'Evidence sheet', mimeType: JSON_TYPE },
  { uriTemplate: 'crewagent://runs/{run}/artifacts/{+path}', name: 'Artifact', mimeType: 'text/plain' },
] as const;

/** What every run has. */
export const RUN_PARTS = ['brief', 'state', 'evidence'] as const;

export function toRunUri(runId: string, part: string): string {
  return `crewagent://runs/${runId}/${part}`;
}

/** The last runs of the project, newest first. */
export async function listProjectRuns(
  { runtime }: Pick<ResourceParts, 'runtime'>,
  { projectPath }: HostProject,
) {
  const project = await runtime.store.projects.find(projectPath);
  if (!project) return [];
  const runs = await runtime.listRuns();
  return runs
    .flatMap(({ record }) =>
      record && record.projectId === project.projectId && !record.call ? [record] : [],
    )
    .slice(0, MAX_RUNS)
    .map((record) => ({
      runId: record.workId,
      record,
      isComplete: record.phase === 'Completed',
      line: `${record.workId}: ${record.workflowTitle} (${record.phase}${record.reason ? `, ${record.reason.code}` : ''})`,
    }));
}

export async function listResources(parts: ResourceParts, project: HostProject): Promise<ListedResource[]> {
  const listed: ListedResource[] = [];
  for (const [index, { runId, record }] of (await listProjectRuns(parts, project)).entries()) {
    const isOpen = parts.openRuns.isOpen(runId);
    const name = `${record.workflowTitle}, ${record.createdAt.slice(0, 16).replace('T', ' ')}`;
    for (const part of RUN_PARTS)
      if (isOpen || part !== 'brief')
        listed.push({
          uri: toRunUri(runId, part),
          name: `${name}: ${part}`,
          mimeType: part === 'evidence' ? JSON_TYPE : MARKDOWN,
        });
    // Reading a log takes time: of others they are found by their address.
    if (index > 0 && !isOpen) continue;
    const { view } = await showWork(parts.runtime.store, await findRun(parts.runtime.store, runId));
    for (const path of (view.own.state.artifacts ?? []).slice(0, MAX_ARTIFACTS))
      listed.push({
        uri: toRunUri(runId, `artifacts/${encodePath(path)}`),
        name: path,
        mimeType: 'text/plain',
      });
  }
  return listed;
}

const URI = /^crewagent:\/\/runs\/([0-9A-Za-z-]{1,64})\/(brief|state|evidence|artifacts\/(.+))$/;

export async function readResource(
  uri: string,
  parts: ResourceParts,
  project: HostProject,
): Promise<{ readonly mimeType: string; readonly text: string }> {
  const [, runId = '', part = '', path] = URI.exec(uri) ?? [];
  const { store } = parts.runtime;
  const run = (await listProjectRuns(parts, project)).find((each) => each.runId === runId);
  if (!run) throw new CrewError('NOT_FOUND', 'There is no such resource.');
  const address = await findRun(store, runId);
  if (path !== undefined)
    return { mimeType: 'text/plain', text: await readArtifact(parts.runtime, run.record, decodePath(path)) };
  switch (part) {
    case 'state':
      return { mimeType: MARKDOWN, text: (await store.works.openState(address).read()).text };
    case 'evidence': {
      const sheet: EvidenceSheet = await readEvidence(store, address);
      return {
        mimeType: JSON_TYPE,
        text: JSON.stringify({ summary: describeTotals(sheet), ...sheet }, null, 2),
      };
    }
    default: {
      // Who only reads does not drive it.
      const handle = parts.openRuns.opened(runId, project);
      const brief = await handle?.use(async (open) => {
        await open.untilIdle();
        return open.brief();
      });
      return {
        mimeType: MARKDOWN,
        text:
          brief ??
          (handle ? 'The run waits for nothing here.' : 'The run is not open here; see resume_workflow.'),
      };
    }
  }
}

/** Only what the run recorded, and through the mount of the project, which refuses secrets and links to the outside. */
async function readArtifact({ store }: Runtime, record: RunRecord, path: string): Promise<string> {
  const { view } = await showWork(store, await findRun(store, record.workId));
  if (!view.own.state.artifacts.includes(path))
    throw new CrewError('NOT_FOUND', 'The run has no such artifact.');
  const project = await store.projects.read(record.projectId);
  const files = await openProjectFiles({ store, project, now: () => new Date() });
  try {
    const content = await files.read(`@project/${path}`);
    if ('text' in content) return content.text;
    throw new CrewError('FILE_TOO_LARGE', `"${path}" is not a text, or too large.`);
  } finally {
    await files.close();
  }
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function encodePath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}

/**
 * The servers of a project's own `.mcp.json`. The file is untrusted: no definition is used before a person approved it, and an
 * approval covers exactly its content.
 */
import { constants, open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Project } from '@crewagent/protocol/project';
import { CrewError } from '../base/crew-error.ts';
import { errnoOf } from '../base/errno.ts';
import { sha256Of } from '../base/sha256.ts';
import { parseServersFile, type ReadServer } from './parse-servers-file.ts';
import { type ResolvedServer, toTarget } from './server-target.ts';

export const PROJECT_FILE = '.mcp.json';
const MAX_BYTES = 1_048_576;

export interface ProjectServers {
  readonly servers: readonly (ResolvedServer & Pick<ReadServer, 'server' | 'values'>)[];
  /** Why the file, or an entry of it, could not be parsed. */
  readonly issues: readonly string[];
}

/** Never throws because of the file's content. */
export async function readProjectServers({
  path,
  projectId,
}: Pick<Project, 'path' | 'projectId'>): Promise<ProjectServers> {
  const text = await readFileOf(path);
  if (text === undefined) return { servers: [], issues: [] };
  try {
    const { servers, issues } = parseServersFile(text);
    return { servers: servers.map((read) => toResolved(read, path, projectId)), issues };
  } catch (error) {
    if (error instanceof CrewError) return { servers: [], issues: [error.message] };
    throw error;
  }
}

function toResolved(
  { id, server, values }: ReadServer,
  project: string,
  projectId: string,
): ProjectServers['servers'][number] {
  const { enabled: _, trusted: __, disabledTools, ...definition } = server;
  return {
    id,
    origin: 'project',
    hash: sha256Of(Buffer.from(JSON.stringify([definition, values]))),
    // Ids of servers contain no slash.
    loginKey: `${projectId}/${id}`,
    // A project cannot declare its own servers as trusted.
    trusted: false,
    disabledTools,
    target: toTarget(server, project, values),
    secrets: Object.values(values),
    server,
    values,
  };
}

async function readFileOf(project: string): Promise<string | undefined> {
  try {
    const handle = await open(
      join(project, PROJECT_FILE),
      constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
    );
    try {
      const found = await handle.stat();
      if (!found.isFile() || found.size > MAX_BYTES) return undefined;
      return await handle.readFile('utf8');
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return undefined;
  }
}

/** The files of a project, for a person who changes one. */
import { createSecretCheck, openProjectFiles, type ProjectFiles, type Runtime } from '@crewagent/core';

/** Close them after use. */
export async function openFilesOf({ store, settings }: Runtime, projectId: string): Promise<ProjectFiles> {
  const { secretPatterns } = (await settings()).tools.fs;
  return openProjectFiles({
    store,
    project: await store.projects.read(projectId),
    isSecret: createSecretCheck(secretPatterns),
    now: () => new Date(),
  });
}

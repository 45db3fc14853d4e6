/** `crewagent mcp serve`: workflows for another agent, which does the work with its own model and tools. */
import { realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { CrewError, findUserLanguage, isFolder } from '@crewagent/core';
import { serveHosts } from '@crewagent/doors/mcp-server';
import { validationContext } from '../context.ts';
import { hostProcess } from '../host-process.ts';
import { openRuntime } from '../open-runtime.ts';
import { withSignals } from '../signals.ts';

export async function serve({ project }: { readonly project?: string }): Promise<void> {
  const { argv, env, stdin, stdout } = hostProcess();
  const projectPath = project === undefined ? undefined : resolve(project);
  if (projectPath !== undefined && !(await isFolder(projectPath)))
    throw new CrewError('USAGE', `There is no folder at "${projectPath}".`);
  await withSignals(({ signal }) =>
    serveHosts({
      runtime: openRuntime(),
      context: validationContext,
      examplesRoot: join(dirname(realpathSync(argv[1] ?? '.')), 'examples'),
      language: findUserLanguage(env),
      input: stdin as NodeJS.ReadStream,
      output: stdout as NodeJS.WriteStream,
      projectPath,
      workingDirectory: process.cwd(),
      signal,
    }),
  );
}

/**
 * The view of the project in which a server in the sandbox runs. It lives as long as the server; after each call it says what the
 * server changed since the call before.
 */
import { lstatSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, relative } from 'node:path';
import type { SandboxOptions } from '@crewagent/protocol/sandbox';
import { isInside } from '../base/is-inside.ts';
import { removeTree } from '../base/remove-tree.ts';
import { createTempFolder } from '../base/temp-folder.ts';
import { createSecretCheck, type IsSecret } from '../mounts/sensitive/secret-files.ts';
import type { Policies } from '../policy/loaded-policy.ts';
import { hideRealPaths } from '../processes/inside-paths.ts';
import type { TreeCommand } from '../processes/process-tree.ts';
import { findProjectSandbox } from '../processes/sandbox.ts';
import { computeAccess } from '../processes/sandbox-access.ts';
import type { View, ViewChange } from '../processes/view.ts';
import { statEntry } from '../processes/view-changes.ts';

export interface ServerCommand extends TreeCommand {
  /** Must run in the sandbox, with this access besides the project. */
  readonly sandbox?: ServerSandbox;
}

export interface ServerSandbox extends SandboxOptions {
  readonly project: string;
  readonly policies?: Policies | undefined;
}

/** What a Work provides for the views of its servers. */
export interface ServerViews {
  readonly isSecret: IsSecret;
  createFolder(): Promise<{ readonly folder: string }>;
}

/** For a server that is only tried out: what it changes is discarded. */
const TRIAL: ServerViews = {
  isSecret: createSecretCheck(),
  createFolder: async () => ({ folder: await createTempFolder('crewagent-server-') }),
};

/** The state of an entry when its change was last reported. */
interface Seen {
  readonly inView: string | undefined;
  readonly inProject: string | undefined;
}

export class ServerView {
  readonly view: View;
  readonly isGitAllowed: boolean;
  readonly #project: string;
  readonly #seen = new Map<string, Seen>();
  #markedNs = 0n;

  private constructor(view: View, project: string, isGitAllowed: boolean) {
    this.view = view;
    this.#project = project;
    this.isGitAllowed = isGitAllowed;
  }

  /** Throws if there is no sandbox, or the project cannot be protected in it. */
  static async open(
    project: string,
    options: SandboxOptions & Pick<ServerSandbox, 'policies'>,
    { isSecret, createFolder }: ServerViews = TRIAL,
  ): Promise<ServerView> {
    const { state, openView } = await findProjectSandbox(project);
    if (!openView)
      throw new Error(
        `The server may only run in a sandbox, and there is none: ${state.reason ?? 'no reason given'}`,
      );
    const access = await computeAccess({ project, options, isSecret, policies: options.policies });
    const { folder } = await createFolder();
    try {
      return new ServerView(await openView({ folder, access }), project, options.git);
    } catch (error) {
      await removeTree(folder).catch(() => rmSync(folder, { recursive: true, force: true }));
      throw error;
    }
  }

  /** The command as it is started. A working folder outside the project does not exist in the sandbox. */
  wrap(command: TreeCommand): TreeCommand {
    const folder = isInside(command.cwd, this.#project) ? relative(this.#project, command.cwd) : '';
    const started = this.view.wrap(command, folder.split('/').filter(Boolean));
    return { ...started, env: { ...started.env, ...command.env }, inheritEnv: command.inheritEnv };
  }

  /** Call it before each call: changes of the project until now are visible to the server. */
  async beginCall(): Promise<void> {
    const marker = join(this.view.folder, 'marker');
    writeFileSync(marker, '');
    this.#markedNs = lstatSync(marker, { bigint: true }).ctimeNs;
    await this.view.refresh();
  }

  /** Changes that were not reported yet. */
  takeChanges(): ViewChange[] {
    return this.view.changes().filter(({ path, after }) => {
      const seen = this.#seen.get(path);
      return !seen || seen.inView !== after?.stamp;
    });
  }

  /** Whether somebody else changed the entry after the server could have read it. */
  isConflict = ({ path, before }: ViewChange): boolean => {
    const seen = this.#seen.get(path);
    // The layer of the view has an own copy of an entry that was changed before, which hides later versions.
    if (seen) return seen.inProject !== before?.stamp;
    return before !== undefined && before.kind !== 'folder' && before.changedNs > this.#markedNs;
  };

  /** Call it when changes were committed or dropped. */
  remember = (changes: readonly Pick<ViewChange, 'path'>[]): void => {
    for (const { path } of changes)
      this.#seen.set(path, {
        inView: stampOf(join(this.view.contents, path)),
        inProject: stampOf(join(this.#project, path)),
      });
  };

  hide(text: string): string {
    return hideRealPaths(text, { project: this.#project, home: homedir() });
  }
}

/** The command as it is started, and the view it runs in. Throws if it must run in a sandbox and there is none. */
export async function toStartedCommand(
  { sandbox: options, ...command }: ServerCommand,
  views: ServerViews | undefined,
): Promise<{ readonly command: TreeCommand; readonly view?: ServerView }> {
  if (!options) return { command };
  const { project, ...settings } = options;
  const view = await ServerView.open(project, settings, views);
  return { command: view.wrap(command), view };
}

function stampOf(path: string): string | undefined {
  const entry = statEntry(path);
  return entry === 'whiteout' ? undefined : entry?.stamp;
}

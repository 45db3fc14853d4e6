/** Sends a Work to a project of a team server: what the server lacks of it, then the order to take it over. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiError } from '@crewagent/protocol/api/client';
import type { Transfer } from '@crewagent/protocol/transfer';
import { CrewError } from '../base/crew-error.ts';
import { sha256Of } from '../base/sha256.ts';
import type { ValidationContext } from '../bmad/check/validate-package.ts';
import { packFolder } from '../bmad/pack-package.ts';
import { createSecretCheck } from '../mounts/sensitive/secret-files.ts';
import { requireAllowed } from '../policy/restrict.ts';
import type { Store } from '../store/store.ts';
import type { WorkAddress } from '../store/work-address.ts';
import { toChangedPaths } from './changed-paths.ts';
import { type Contents, findTreeRoot, packagesOf, packWorks } from './pack-works.ts';
import { openProjectFolder } from './project-files.ts';
import {
  createTeamClient,
  forEachContent,
  type TeamAddress,
  type TeamClient,
  withServerErrors,
} from './team-client.ts';

export interface TransferDeps {
  readonly store: Store;
  readonly context: ValidationContext;
}

export interface PushRequest extends TeamAddress {
  readonly work: WorkAddress;
  /** Name or id of a project of the team; default: the one with the name of the local project. */
  readonly project?: string | undefined;
  /** Also files that the Work did not change, if the project of the team lacks them. */
  readonly allFiles?: boolean | undefined;
}

export interface Pushed {
  readonly workId: string;
  readonly url: string;
  readonly project: string;
  /** False if the server has all of it already. */
  readonly isNew: boolean;
  readonly conflicts: number;
  /** How many of the contents were sent, and their bytes. */
  readonly sent: number;
  readonly contents: number;
  readonly bytes: number;
}

export async function pushWork({ work, ...request }: PushRequest, deps: TransferDeps): Promise<Pushed> {
  const { works, projects, policy } = deps.store;
  const policies = await policy.read();
  requireAllowed(policies, { kind: 'push' });
  const root = await findTreeRoot(works, work);
  const client = createTeamClient(request);
  requireAllowed(policies, { kind: 'address', address: new URL(client.url) });
  const lease = await works.lease(root);
  try {
    return await withServerErrors(client.url, async () => {
      const project = await projects.read(root.projectId);
      const target = await chooseProject(client, request.project, project.name);
      const packed = await packWorks(works, root);
      await sendPackages(client, packagesOf(packed.records), deps);
      const settings = await deps.store.settings.load();
      const isSecret = createSecretCheck(settings.tools.fs.secretPatterns);
      const paths = toChangedPaths(packed.journals);
      const files = await openProjectFolder(project.path, isSecret).pack(
        paths,
        packed.contents,
        request.allFiles === true,
      );
      const transfer: Transfer = { format: 1, works: [...packed.works], ...files, packages: [] };
      return {
        ...(await send(client, target, transfer, packed.contents)),
        url: client.url,
        project: target.name,
      };
    });
  } finally {
    await lease.release();
  }
}

interface Target {
  readonly projectId: string;
  readonly name: string;
}

async function chooseProject(
  { api, url }: TeamClient,
  wanted: string | undefined,
  own: string,
): Promise<Target> {
  const { projects } = await api.projects.list();
  const name = wanted ?? own;
  const found = projects.filter((project) => project.projectId === name || project.name === name);
  const [project] = found;
  if (project && found.length === 1) return project;
  const reason = project
    ? `has several projects named "${name}"`
    : `has no project "${name}" that you may use`;
  const names = projects
    .map((one) => `"${one.name}"`)
    .slice(0, 10)
    .join(', ');
  const advice =
    names === ''
      ? 'Create one on its page first.'
      : `Give one with --project: its name or id. There are: ${names}.`;
  throw new CrewError('USAGE', `The team server at ${url} ${reason}. ${advice}`);
}

async function sendPackages(
  { api }: TeamClient,
  hashes: ReadonlySet<string>,
  { store, context }: TransferDeps,
): Promise<void> {
  for (const hash of hashes) {
    if (await isInstalledThere(api, hash)) continue;
    await withPackedAgain(hash, { store, context }, async (archive) => {
      await api.packages.upload({
        query: { name: `${hash.slice(0, 12)}.bmad` },
        body: await readFile(archive),
      });
    });
  }
}

async function isInstalledThere(api: TeamClient['api'], hash: string): Promise<boolean> {
  try {
    await api.packages.show({ hash });
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return false;
    throw error;
  }
}

/** A package is known by the hash of its archive, which only packing the same way gives again. */
async function withPackedAgain(
  hash: string,
  { store, context }: TransferDeps,
  use: (archive: string) => Promise<void>,
): Promise<void> {
  (await store.packages.seal(hash)).checkAll();
  const scratch = await store.packages.makeScratch();
  try {
    const archive = join(scratch.path, 'package.bmad');
    const {
      sha256,
      package: { manifest },
    } = await packFolder(store.packages.folder(hash), archive, context, {
      isPrivate: true,
      isInstalled: true,
    });
    if (sha256 !== hash)
      throw new CrewError(
        'PACKAGE_NOT_FOUND',
        `The team server does not have the package "${manifest.name}" ${manifest.version}, which was packed by another program. Upload its .bmad file there first.`,
      );
    await use(archive);
  } finally {
    await scratch.remove();
  }
}

/** Hashes in one question. */
const ASKED = 5_000;

async function send({ team }: TeamClient, { projectId }: Target, transfer: Transfer, contents: Contents) {
  const description = Buffer.from(JSON.stringify(transfer));
  const sha256 = sha256Of(description);
  contents.set(sha256, () => Promise.resolve(description));
  const hashes = [...contents.keys()];
  const missing: string[] = [];
  for (let from = 0; from < hashes.length; from += ASKED) {
    const body = { hashes: hashes.slice(from, from + ASKED) };
    missing.push(...(await team.transfers.missing({ projectId, body })).missing);
  }
  let bytes = 0;
  await forEachContent(missing, async (hash) => {
    const body = await contents.get(hash)?.();
    if (!body || sha256Of(body) !== hash)
      throw new CrewError('FILE_CONFLICT', 'A file changed while it was sent. Run the command again.');
    await team.transfers.send({ projectId, hash, body });
    bytes += body.length;
  });
  const received = await team.transfers.receive({ projectId, body: { transfer: sha256 } });
  return { ...received, sent: missing.length, contents: contents.size, bytes };
}

/** What a verified run in one file holds: who signed it, its steps and their evidence, its files, and which requests are proved. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ShownBundle } from '@crewagent/protocol/api/bundles';
import type { Bundle } from '@crewagent/protocol/bundle';
import { createEvidence } from '@crewagent/protocol/evidence';
import { modelNameOf } from '@crewagent/protocol/model';
import type { Signer } from '@crewagent/protocol/package-signature';
import { createUuidV7 } from '../base/uuid-v7.ts';
import { findSigner, readSharing } from '../bmad/signing/signers.ts';
import { loadInstalled } from '../session/load-workflow.ts';
import { proveWorkRequests } from '../session/show-context.ts';
import { openMemoryStore } from '../store/open-memory-store.ts';
import type { PackageStore } from '../store/package-store.ts';
import type { Store } from '../store/store.ts';
import { toAddress } from '../store/work-address.ts';
import type { WorkCopy } from '../store/work-store.ts';
import { installPackage } from '../transfer/adopt-works.ts';
import { packagesOf } from '../transfer/pack-works.ts';
import { refused } from '../transfer/unpack-works.ts';
import { toSigned } from './export-bundle.ts';
import type { OpenDeps, VerifiedBundle } from './verify-bundle.ts';
import type { ZipNote } from './zip-form.ts';

/** `scratch`: a folder for the packages inside, which are not installed. */
export async function showBundle(
  verified: VerifiedBundle,
  isEncrypted: boolean,
  scratch: string,
  deps: OpenDeps,
): Promise<{ readonly shown: ShownBundle; readonly grants: number }> {
  const { zip, bundle, copies } = verified;
  const [root] = copies;
  if (!root) throw refused('it has no run');
  const { packages } = deps.store;
  const { workId, phase, createdAt, updatedAt, model } = root.record;
  const signer = await signerOf(toSignedName(workId), zip, packages);
  const { grants, requests } = await proveAll(verified, scratch, deps);
  return {
    grants,
    shown: {
      bytes: zip.bytes,
      isEncrypted,
      sha256: zip.digest,
      runtime: bundle.runtime,
      signer,
      alsoSigned: await othersOf(signer, workId, packages),
      work: {
        ...{ workId, phase, createdAt, updatedAt },
        isRun: root.record.workflowRef !== undefined,
        title: titleOf(root),
        model: modelNameOf(model),
        events: copies.reduce((sum, { events }) => sum + events.length, 0),
      },
      packages: await showPackages(bundle, packages),
      runs: copies.flatMap((copy) => (copy.record.workflowRef === undefined ? [] : [showRun(copy)])),
      changed: bundle.transfer.changed.map(({ path, bytes }) => ({ path, bytes })),
      deleted: bundle.transfer.deleted,
      others: bundle.transfer.others.length,
      requests,
    },
  };
}

/** Trust on first use, by run: the next file of the same run has the same signer. */
export const toSignedName = (workId: string): string => `run ${workId}`;

/** Throws SIGNATURE_INVALID. */
export function signerOf(
  name: string,
  { digest, signature }: ZipNote,
  packages: PackageStore,
): Promise<Signer> {
  return findSigner({ name, hash: toSigned(digest), signature }, packages);
}

/** What else the store knows of the key. */
async function othersOf({ key }: Signer, workId: string, { sharing }: PackageStore): Promise<string[]> {
  const { signers } = await readSharing(sharing);
  return Object.entries(signers).flatMap(([name, signer]) =>
    signer.key === key && name !== toSignedName(workId) ? [name] : [],
  );
}

function titleOf({ record }: WorkCopy): string {
  return record.workflowRef === undefined ? record.title || record.kind : record.workflowTitle;
}

function showRun(copy: WorkCopy): ShownBundle['runs'][number] {
  const { workId, phase } = copy.record;
  const evidence = createEvidence(workId);
  for (const event of copy.events) evidence.add(event);
  return { workId, title: titleOf(copy), phase, evidence: evidence.sheet() };
}

async function showPackages(
  { packages: needed, transfer }: Bundle,
  packages: PackageStore,
): Promise<ShownBundle['packages']> {
  const inside = new Set(transfer.packages.map(({ hash }) => hash));
  return Promise.all(
    needed.map(async ({ hash, name, version, signature }) => ({
      ...{ hash, name, version },
      isInside: inside.has(hash),
      isInstalled: (await packages.find(hash)) !== undefined,
      signer: await findSigner({ name, hash, signature }, packages),
    })),
  );
}

/** In a store of its own, in memory, with the packages inside. */
async function proveAll(
  { bundle, copies, read }: VerifiedBundle,
  scratch: string,
  { store, context, now }: OpenDeps,
) {
  const memory = openMemoryStore(scratch);
  const project = join(scratch, 'project');
  await mkdir(project, { recursive: true, mode: 0o700 });
  const { projectId } = await memory.projects.open(project, { now, newId: createUuidV7(now) });
  const inside = new Set(bundle.transfer.packages.map(({ hash }) => hash));
  for (const hash of inside) await installPackage(bundle.transfer, hash, read, { store: memory, context });
  const packages = withInstalled(memory.packages, inside, store.packages);
  const own: Store = { ...memory, packages };
  for (const one of bundle.packages)
    if (await packages.find(one.hash)) await requireName(one, () => loadInstalled(one.hash, own, context));
  let grants = 0;
  const requests: ShownBundle['requests'] = { proved: 0, unproved: [], unknown: 0 };
  for (const copy of copies) {
    const record = { ...copy.record, projectId } as WorkCopy['record'];
    await own.works.adopt({ ...copy, record });
    const { workId } = record;
    const [hash] = packagesOf([record]);
    if (hash !== undefined && !(await packages.find(hash))) {
      requests.unknown += copy.events.filter(({ type }) => type === 'turn.started').length;
      continue;
    }
    const proofs = await proveWorkRequests(toAddress(record), { store: own, context, now });
    grants += proofs.grants;
    requests.proved += proofs.proved.length;
    requests.unknown += proofs.unhashed.length;
    requests.unproved.push(...proofs.unproved.map((turn) => ({ workId, turn })));
  }
  return { grants, requests };
}

/** The signer of a package is compared with that of its name. */
async function requireName(
  { name, version }: Bundle['packages'][number],
  load: () => Promise<{ readonly manifest: { readonly name: string; readonly version: string } }>,
): Promise<void> {
  const { manifest } = await load();
  if (manifest.name !== name || manifest.version !== version)
    throw refused(
      `its package "${name.slice(0, 200)}" is another one: "${manifest.name} ${manifest.version}"`,
    );
}

/** Packages of the file, and those that are installed here. */
function withInstalled(
  inside: PackageStore,
  hashes: ReadonlySet<string>,
  installed: PackageStore,
): PackageStore {
  const of = (hash: string): PackageStore => (hashes.has(hash) ? inside : installed);
  return {
    ...inside,
    folder: (hash) => of(hash).folder(hash),
    find: (hash) => of(hash).find(hash),
    seal: (hash) => of(hash).seal(hash),
    readCompiled: (hash) => of(hash).readCompiled(hash),
    writeCompiled: () => Promise.resolve(),
  };
}

/**
 * Writes a Work with everything that proves and continues it to one file. The same Work gives the same bytes, unless they are encrypted.
 */
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Bundle } from '@crewagent/protocol/bundle';
import type { RunEvent } from '@crewagent/protocol/events';
import { isObject } from '@crewagent/protocol/json-object';
import { modelSettingsSchema, type RunModel } from '@crewagent/protocol/model';
import type { PackageSignature } from '@crewagent/protocol/package-signature';
import type { Transfer } from '@crewagent/protocol/transfer';
import { VERSION } from '@crewagent/protocol/version';
import type { WorkRecord } from '@crewagent/protocol/work';
import { compareTexts } from '../base/compare-texts.ts';
import { CrewError } from '../base/crew-error.ts';
import { replaceFile, type WriteChunk } from '../base/durable-files.ts';
import { withDiskErrors } from '../base/errno.ts';
import { listTree } from '../base/list-tree.ts';
import { makeFolderOf } from '../base/make-folders.ts';
import { sha256Of } from '../base/sha256.ts';
import { signHash } from '../base/signatures.ts';
import { sweepTempFiles } from '../base/staging.ts';
import type { ValidationContext } from '../bmad/check/validate-package.ts';
import { packFolder } from '../bmad/pack-package.ts';
import { createSecretCheck } from '../mounts/sensitive/secret-files.ts';
import type { PackageStore } from '../store/package-store.ts';
import type { Store } from '../store/store.ts';
import { toAddress, type WorkAddress } from '../store/work-address.ts';
import { toChangedPaths } from '../transfer/changed-paths.ts';
import { type Contents, findTreeRoot, packagesOf, packWorks } from '../transfer/pack-works.ts';
import { openProjectFolder } from '../transfer/project-files.ts';
import { requireSettled, requireWholeJournal } from '../transfer/unpack-works.ts';
import { encryptTo } from './envelope.ts';
import { writeZip } from './write-zip.ts';

export interface ExportDeps {
  readonly store: Store;
  readonly context: ValidationContext;
}

export interface ExportRequest {
  readonly work: WorkAddress;
  /** Path of the file; one that exists is replaced. */
  readonly target: string;
  /** Leaves packages out: the receiver has to have them. */
  readonly withoutPackages?: boolean | undefined;
  /** Also files of the project that the run did not change. */
  readonly allFiles?: boolean | undefined;
  readonly passphrase?: string | undefined;
  /** PKCS #8. */
  readonly privateKey?: string | undefined;
}

export interface Exported {
  readonly workId: string;
  readonly bytes: number;
  /** Of the file before it is encrypted. */
  readonly sha256: string;
  readonly contents: number;
  readonly runs: number;
  readonly files: number;
  /** Packages that are not inside: they were packed by another program, or left out. */
  readonly packagesOutside: readonly string[];
}

export async function exportBundle(request: ExportRequest, deps: ExportDeps): Promise<Exported> {
  const { target, passphrase, privateKey } = request;
  const { works } = deps.store;
  const root = await findTreeRoot(works, request.work);
  const lease = await works.lease(root);
  try {
    const { bundle, contents } = await describe(root, request, deps);
    const description = Buffer.from(JSON.stringify(bundle));
    const sources = [
      { name: 'bundle.json', read: () => Promise.resolve(description) },
      ...[...contents]
        .sort(([one], [other]) => compareTexts(one, other))
        .map(([sha256, read]) => ({
          name: `contents/${sha256}`,
          read: () => readSame(read, sha256),
        })),
    ];
    const sign = (digest: string): PackageSignature | undefined =>
      privateKey === undefined ? undefined : signHash(toSigned(digest), privateKey);
    const written = await withDiskErrors(`Could not write "${target}"`, async () => {
      makeFolderOf(target);
      await sweepTempFiles(dirname(target), { isDeep: false });
      return writeDurably(target, passphrase, (write) => writeZip(sources, write, sign));
    });
    const { transfer, packages } = bundle;
    const inside = new Set(transfer.packages.map(({ hash }) => hash));
    return {
      workId: root.workId,
      bytes: written.bytes,
      sha256: written.digest,
      contents: contents.size,
      runs: transfer.works.length - 1,
      files: transfer.changed.length + transfer.others.length,
      packagesOutside: packages
        .filter(({ hash }) => !inside.has(hash))
        .map(({ name, version }) => `${name} ${version}`),
    };
  } finally {
    await lease.release();
  }
}

/** What is signed: not a text that the signature of a package could be for. */
export const toSigned = (digest: string): string => `run ${digest}`;

type Zipped = Awaited<ReturnType<typeof writeZip>>;

async function writeDurably(
  target: string,
  passphrase: string | undefined,
  zipTo: (write: WriteChunk) => Promise<Zipped>,
): Promise<Zipped> {
  let written: Zipped | undefined;
  await replaceFile(target, async (write) => {
    if (passphrase === undefined) {
      written = await zipTo(write);
      return;
    }
    let bytes = 0;
    const counted: WriteChunk = (chunk) => {
      bytes += chunk.length;
      return write(chunk);
    };
    const encryption = await encryptTo(counted, passphrase);
    written = await zipTo(encryption.write);
    await encryption.end();
    written = { ...written, bytes };
  });
  if (!written) throw new Error('the file was written');
  return written;
}

async function readSame(read: () => Promise<Buffer>, sha256: string): Promise<Buffer> {
  const content = await read();
  if (sha256Of(content) === sha256) return content;
  throw new CrewError('FILE_CONFLICT', 'A file changed while it was exported. Run the command again.');
}

async function describe(
  root: WorkAddress,
  { withoutPackages, allFiles }: ExportRequest,
  { store, context }: ExportDeps,
): Promise<{ readonly bundle: Bundle; readonly contents: Contents }> {
  const packed = await packWorks(store.works, root);
  const { contents, records, journals } = packed;
  await requireSettledWorks(store, records);
  for (const journal of journals) requireWholeJournal(journal);
  const { path } = await store.projects.read(root.projectId);
  const { tools } = await store.settings.load();
  const folder = openProjectFolder(path, createSecretCheck(tools.fs.secretPatterns));
  const files = await folder.pack(toChangedPaths(journals), contents, allFiles === true);
  const packages: Bundle['packages'] = [];
  const inside: Transfer['packages'] = [];
  for (const hash of [...packagesOf(records)].sort(compareTexts)) {
    const signature = (await store.packages.readOrigin(hash))?.signature;
    packages.push({ hash, ...nameOf(records, hash), ...(signature ? { signature } : {}) });
    const packageFiles = withoutPackages
      ? undefined
      : await packPackage(hash, store.packages, context, contents);
    if (packageFiles) inside.push({ hash, files: packageFiles });
  }
  const works = packed.works.map((work) => ({
    ...work,
    record: sortKeys({ ...work.record, model: withoutPlace(work.record.model as RunModel) }),
    state: sortKeys(work.state),
  }));
  const transfer: Transfer = { format: 1, works, ...sortFiles(files), packages: inside };
  return { bundle: { format: 1, runtime: VERSION, transfer, packages }, contents };
}

async function requireSettledWorks({ works }: Store, records: readonly WorkRecord[]): Promise<void> {
  for (const record of records) {
    const events: RunEvent[] = [];
    await works.readLog(toAddress(record), (event) => events.push(event));
    requireSettled(record, events);
  }
}

/** The order of fields depends on who read them, that of files on the system. */
function sortKeys<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(sortKeys) as Value;
  if (!isObject(value)) return value;
  const sorted = Object.entries(value).sort(([one], [other]) => compareTexts(one, other));
  return Object.fromEntries(sorted.map(([key, inner]) => [key, sortKeys(inner)])) as Value;
}

type Files = Pick<Transfer, 'changed' | 'deleted' | 'others'>;

function sortFiles({ changed, deleted, others }: Files): Files {
  const byPath = (one: { path: string }, other: { path: string }): number =>
    compareTexts(one.path, other.path);
  return {
    changed: changed.toSorted(byPath),
    deleted: deleted.toSorted(compareTexts),
    others: others.toSorted(byPath),
  };
}

function nameOf(records: readonly WorkRecord[], hash: string): { name: string; version: string } {
  for (const record of records) {
    if (record.packageHash === hash) return { name: record.packageName, version: record.packageVersion };
    if (record.agent?.package.hash === hash) {
      const { name, version } = record.agent.package;
      return { name, version };
    }
  }
  throw new Error('a Work needs the package');
}

/** Which model it was, as the log says it, without names of variables and files of this machine. */
function withoutPlace(model: RunModel): RunModel {
  if (model.kind === 'replay') return { kind: 'replay', file: 'recording' };
  if (model.kind !== 'provider') return model;
  const kept = Object.entries(model.settings).filter(([name]) => KEPT.has(name));
  return { kind: 'provider', settings: modelSettingsSchema.parse(Object.fromEntries(kept)) };
}

const KEPT = new Set([
  'provider',
  'baseUrl',
  'model',
  'contextTokens',
  'maxOutputTokens',
  'temperature',
  'size',
  'pictures',
]);

/** Hashes of its files; undefined if packing them does not give the package again. */
async function packPackage(
  hash: string,
  packages: PackageStore,
  context: ValidationContext,
  contents: Contents,
): Promise<Record<string, string> | undefined> {
  (await packages.seal(hash)).checkAll();
  const folder = packages.folder(hash);
  const scratch = await packages.makeScratch();
  try {
    const options = { isPrivate: true, isInstalled: true };
    const { sha256 } = await packFolder(folder, join(scratch.path, 'package.bmad'), context, options);
    if (sha256 !== hash) return undefined;
  } finally {
    await scratch.remove();
  }
  const files: [path: string, sha256: string][] = [];
  for (const { path, entry } of listTree(folder)) {
    if (!entry.isFile()) continue;
    const file = join(folder, path);
    const content = sha256Of(await readFile(file));
    contents.set(content, () => readFile(file));
    files.push([path, content]);
  }
  return Object.fromEntries(files.sort(([one], [other]) => compareTexts(one, other)));
}

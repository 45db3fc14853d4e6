/**
 * Verifies a run in one file: every byte, by its digest; each content, by its hash; the chain of each log, each record and event. What it
 * throws names the place.
 */
import type { FileHandle } from 'node:fs/promises';
import { type Bundle, bundleSchema } from '@crewagent/protocol/bundle';
import { parseObject } from '@crewagent/protocol/json-object';
import type { Transfer } from '@crewagent/protocol/transfer';
import { sha256Of } from '../base/sha256.ts';
import type { WorkCopy } from '../store/work-store.ts';
import { packagesOf } from '../transfer/pack-works.ts';
import { refused, unpackWorks } from '../transfer/unpack-works.ts';
import type { ExportDeps } from './export-bundle.ts';
import { LIMITS } from './limits.ts';
import { openZip, type ReadZip } from './read-zip.ts';

export interface OpenDeps extends ExportDeps {
  readonly now: () => Date;
}

/** A file that was verified, in a folder of this store. */
export interface VerifiedBundle {
  readonly zip: ReadZip;
  readonly bundle: Bundle;
  readonly copies: readonly WorkCopy[];
  /** A content by its hash. */
  read(sha256: string): Promise<Buffer>;
}

/** Throws TRANSFER_REFUSED. */
export async function verifyBundle(handle: FileHandle): Promise<VerifiedBundle> {
  const places = new Map([['bundle.json', 'its description (bundle.json)']]);
  const zip = await openZip(handle, (name) => places.get(name));
  requireSize(zip, ['bundle.json']);
  const bundle = parseBundle(await zip.read('bundle.json'));
  for (const [sha256, what] of describeContents(bundle.transfer)) places.set(toName(sha256), what);
  await zip.verify();
  const read = async (sha256: string): Promise<Buffer> => {
    const content = await zip.read(toName(sha256));
    if (sha256Of(content) === sha256) return content;
    throw refused(`${places.get(toName(sha256)) ?? 'a content'} does not have its hash`);
  };
  for (const name of zip.entries.keys()) {
    if (!places.has(name)) throw refused(`it has a content that belongs to nothing: "${name}"`);
    if (name !== 'bundle.json') await read(name.slice(CONTENTS.length));
  }
  requireFiles(bundle.transfer, zip);
  const texts = bundle.transfer.works.flatMap(({ log, journal }) => [...log, ...(journal ? [journal] : [])]);
  requireSize(zip, texts.map(toName));
  // A content that is named a thousand times is written a thousand times.
  requireSize(
    zip,
    [...describeContents(bundle.transfer)].map(([sha256]) => toName(sha256)),
    LIMITS.totalBytes,
  );
  const copies = await unpackWorks(bundle.transfer, read);
  requirePackages(bundle, copies);
  return { zip, bundle, copies, read };
}

const CONTENTS = 'contents/';
const toName = (sha256: string): string => `${CONTENTS}${sha256}`;

/** Of what is read as a whole, or written: each time that it is named. */
function requireSize(zip: ReadZip, names: readonly string[], most: number = LIMITS.textBytes): void {
  const bytes = names.reduce((sum, name) => sum + (zip.entries.get(name)?.bytes ?? 0), 0);
  if (bytes > most)
    throw refused(
      most === LIMITS.textBytes
        ? 'its logs are larger than a run in one file can have'
        : 'it would unpack to more than a run in one file can hold',
    );
}

/** Exactly those that its runs need, under the names that their records have: the signers of a name are compared. */
function requirePackages({ packages, transfer }: Bundle, copies: readonly WorkCopy[]): void {
  const records = copies.map(({ record }) => record);
  const needed = packagesOf(records);
  const listed = new Map(packages.map((one) => [one.hash, one]));
  const inside = new Set(transfer.packages.map(({ hash }) => hash));
  const isExact =
    listed.size === packages.length &&
    listed.size === needed.size &&
    inside.size === transfer.packages.length &&
    [...needed].every((hash) => listed.has(hash)) &&
    [...inside].every((hash) => needed.has(hash));
  const isNamed = records.every(({ packageHash, packageName, packageVersion, agent }) => {
    const own = packageHash === undefined ? undefined : listed.get(packageHash);
    const bound = agent === undefined ? undefined : listed.get(agent.package.hash);
    return (
      (own === undefined || (own.name === packageName && own.version === packageVersion)) &&
      (bound === undefined || bound.name === agent?.package.name)
    );
  });
  if (!isExact || !isNamed) throw refused('its packages are not those that its runs need');
}

function parseBundle(content: Buffer): Bundle {
  const value = parseObject(content.toString());
  if (typeof value?.format === 'number' && value.format > 1)
    throw refused('it was written by a newer version of crewagent; update this one');
  const parsed = bundleSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw refused(`its description (bundle.json) is not one that this version of crewagent knows`);
}

/** For messages: what each content is. */
function* describeContents({ works, changed, others, packages }: Transfer): Generator<[string, string]> {
  for (const { files } of packages)
    for (const [path, sha256] of Object.entries(files)) yield [sha256, `the file "${path}" of the package`];
  for (const { path, sha256 } of [...others, ...changed]) yield [sha256, `the project file "${path}"`];
  for (const { record, log, state, journal, images } of works) {
    const run = `of the run ${String(record.workId).slice(-8)}`;
    for (const sha256 of images) yield [sha256, `an earlier content of a file, in the journal ${run}`];
    for (const [path, sha256] of Object.entries(state)) yield [sha256, `the file "@state/${path}" ${run}`];
    if (journal !== undefined) yield [journal, `the journal ${run}`];
    for (const [index, sha256] of log.entries()) yield [sha256, `part ${index + 1} of the log ${run}`];
  }
}

/** Logs, states and journals are required where they are unpacked. */
function requireFiles({ changed, others, packages }: Transfer, { entries }: ReadZip): void {
  const files = packages.flatMap((one) => Object.entries(one.files));
  for (const [path, sha256] of [
    ...[...changed, ...others].map((file) => [file.path, file.sha256] as const),
    ...files,
  ])
    if (!entries.has(toName(sha256))) throw refused(`it lacks the content of "${path.slice(0, 200)}"`);
}

/**
 * A run as one file to keep or hand on: Markdown, JSON, or a page that needs nothing else. Where things lie on this machine
 * is nobody's business: its paths are taken out before anything is rendered.
 */

import { lstat, realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, relative } from 'node:path';
import type { RunModel } from '@crewagent/protocol/model';
import type { RunRecord } from '@crewagent/protocol/run';
import { CrewError } from '../base/crew-error.ts';
import { replaceFile } from '../base/durable-files.ts';
import { errnoOf, withDiskErrors } from '../base/errno.ts';
import { readProject } from '../store/disk/project-store.ts';
import type { Store } from '../store/store.ts';
import { toAddress } from '../store/work-address.ts';
import type { ExportSource } from './facts.ts';
import { toHtml } from './html.ts';
import { toJson } from './json.ts';
import { toMarkdown } from './markdown.ts';
import { hidePaths, type RealFolder } from './paths.ts';
import { toStory } from './story.ts';

export const EXPORT_FORMATS = ['md', 'json', 'html'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export interface ExportOptions {
  readonly store: Store;
  readonly format: ExportFormat;
  /** The folder the export is for; from inside the project it links to what the run wrote. */
  readonly folder?: string | undefined;
}

export async function exportRun(source: ExportSource, options: ExportOptions): Promise<string> {
  const { store, format, folder } = options;
  const { record, view, log } = source;
  const project = await findProject(store, record.projectId);
  const shown: ExportSource = hidePaths(
    {
      log,
      record: { ...record, model: nameOnly(record.model) },
      view: { ...view, model: view.model && nameOnly(view.model) },
    },
    await realFolders(store, record, project),
  );
  if (format === 'json') return toJson(shown);
  const story = toStory(shown, await linkBase(project, folder));
  return format === 'html' ? toHtml(story) : toMarkdown(story);
}

/** A recording is known by its name; where it lies says nothing about the run. */
function nameOnly(model: RunModel): RunModel {
  return model.kind === 'replay' ? { ...model, file: basename(model.file) } : model;
}

/** Undefined for one that was forgotten since. */
async function findProject(store: Store, projectId: string): Promise<string | undefined> {
  try {
    return (await readProject(store, projectId)).path;
  } catch (error) {
    if (error instanceof CrewError && error.code === 'PROJECT_NOT_FOUND') return undefined;
    throw error;
  }
}

async function realFolders(
  store: Store,
  record: RunRecord,
  project: string | undefined,
): Promise<RealFolder[]> {
  const places: RealFolder[] = [
    { path: store.packageFolder(record.packageHash), shown: '@pkg' },
    { path: store.works.stateFolder(toAddress(record)), shown: '@state' },
    { path: store.root, shown: '(store)' },
    { path: homedir(), shown: '~' },
    ...(project === undefined ? [] : [{ path: project, shown: '@project' }]),
  ];
  const real = await Promise.all(
    places.map(async ({ path, shown }) => ({ path: await realOf(path), shown })),
  );
  return [...places, ...real];
}

async function realOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return path;
  }
}

/** How to get from the export to the project; undefined unless the export lies in it. */
async function linkBase(
  project: string | undefined,
  folder: string | undefined,
): Promise<string | undefined> {
  if (project === undefined || folder === undefined) return undefined;
  const up = relative(await realOf(folder), project).replaceAll('\\', '/');
  return /^(?:\.\.(?:\/|$))*$/.test(up) ? up.replace(/\/?$/, '/').replace(/^\/$/, './') : undefined;
}

/** The file is there as a whole or not at all; one that was there before is replaced only by force. */
export async function writeExport(
  file: string,
  text: string,
  { isForced }: { readonly isForced: boolean },
): Promise<void> {
  await withDiskErrors(`Could not write "${file}"`, async () => {
    if (!isForced && (await isAccepted(file))) {
      throw new CrewError('TARGET_EXISTS', `"${file}" exists; give another name, or --force to replace it.`);
    }
    await replaceFile(file, text, 0o644);
  });
}

async function isAccepted(file: string): Promise<boolean> {
  try {
    await lstat(file);
    return true;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return false;
    throw error;
  }
}

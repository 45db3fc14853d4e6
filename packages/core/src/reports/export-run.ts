/**
 * Exports a run as one file: Markdown, JSON, a self-contained HTML page, or its hand-over as a PDF, a Word file or Markdown. Paths of
 * this machine and secrets are removed before anything is rendered.
 */

import { lstat, realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, relative } from 'node:path';
import type { Language } from '@crewagent/protocol/languages';
import { chooseMainResult } from '@crewagent/protocol/main-result';
import type { RunModel } from '@crewagent/protocol/model';
import { hasInvisible } from '@crewagent/protocol/plain-text';
import type { RunRecord } from '@crewagent/protocol/run';
import type { Story } from '@crewagent/protocol/story/story';
import { CrewError, ifPossible } from '../base/crew-error.ts';
import { replaceFile } from '../base/durable-files.ts';
import { ifAllowed, ifPresent, withDiskErrors } from '../base/errno.ts';
import { makeFolderOf } from '../base/make-folders.ts';
import type { ProjectDocument } from '../documents/read-document.ts';
import { maskIn } from '../mounts/sensitive/hidden-values.ts';
import type { Store } from '../store/store.ts';
import { toAddress } from '../store/work-address.ts';
import { toStored } from '../store/work-records.ts';
import { toHandOver } from './hand-over.ts';
import { toMarkdown } from './markdown.ts';
import { readEvidence } from './read-evidence.ts';
import { type ExportSource, toReport } from './report.ts';
import { standingChangesIn } from './summary.ts';

/** `handover`: the Markdown that the Word file is made of, for a page that prints it. */
export const TEXT_FORMATS = ['md', 'json', 'html', 'handover'] as const;
export type TextFormat = (typeof TEXT_FORMATS)[number];
export type ExportFormat = TextFormat | 'docx' | 'pdf';

export interface ExportOptions<Format extends ExportFormat = ExportFormat> {
  readonly store: Store;
  readonly format: Format;
  /** Default: English. */
  readonly language?: Language | undefined;
  /** The folder the export is written to; inside the project, the export links to the files the run wrote. */
  readonly folder?: string | undefined;
}

export async function exportRun(source: ExportSource, options: ExportOptions<TextFormat>): Promise<string>;
export async function exportRun(source: ExportSource, options: ExportOptions): Promise<string | Buffer>;
export async function exportRun(source: ExportSource, options: ExportOptions): Promise<string | Buffer> {
  const { store, format, folder, language } = options;
  const { record, view, log, called = {} } = source;
  const project = await findProject(store, record.projectId);
  const result = HAS_RESULT.has(format) ? await readResult(project, source) : undefined;
  const exported: ExportSource = {
    log,
    record: { ...record, model: nameOnly(record.model) },
    view: withoutPlace(view),
    called: Object.fromEntries(Object.entries(called).map(([id, run]) => [id, withoutPlace(run)])),
    evidence: format === 'json' ? undefined : await readEvidence(store, toAddress(record)),
    // Its images are bytes, with nothing to hide.
    result: result && { ...result, images: new Map() },
  };
  // Here also in the words of people: the file leaves this machine.
  const shown = maskIn(hidePaths(exported, await realFolders(store, record, project)));
  if (format === 'json') return toJson(shown);
  const story = toReport(
    { ...shown, result: shown.result && result && { ...shown.result, images: result.images } },
    { language, linkBase: await linkBase(project, folder) },
  );
  if (format === 'md') return toMarkdown(story);
  if (format === 'handover') return toHandOver(story);
  // Loaded on use: the Markdown parser, the writer of Word files.
  if (format === 'docx') {
    const { markdownToDocx } = await import('../documents/to-docx.ts');
    return markdownToDocx(toHandOver(story), { title: story.title, images: story.result?.images });
  }
  const { toHtml } = await import('./html.ts');
  if (format === 'html') return toHtml(story);
  const { printPdf } = await import('../documents/print-pdf.ts');
  return printPdf(toHtml(story));
}

const HAS_RESULT: ReadonlySet<ExportFormat> = new Set(['html', 'docx', 'pdf', 'handover'] as const);

/** Undefined if there is none, or if it cannot be read any more. */
async function readResult(
  project: string | undefined,
  { record, view }: ExportSource,
): Promise<ProjectDocument | undefined> {
  const { deleted } = standingChangesIn(view.timeline);
  const written = view.state.artifacts.map(toProjectPath).filter((path) => !deleted.has(path));
  const path = chooseMainResult(view, written);
  if (project === undefined || path === undefined || !/\.(?:md|markdown)$/i.test(path)) return undefined;
  const { readDocument } = await import('../documents/read-document.ts');
  return ifPossible(readDocument({ project, secretPatterns: record.tools.fs.secretPatterns }, path));
}

function toProjectPath(artifact: string): string {
  return artifact.startsWith('@') ? artifact : `@project/${artifact}`;
}

function withoutPlace(view: Story): Story {
  return { ...view, model: view.model && nameOnly(view.model) };
}

/** Keeps only the file name of a recording. */
function nameOnly(model: RunModel): RunModel {
  return model.kind === 'replay' ? { ...model, file: basename(model.file) } : model;
}

/** Undefined if the project was forgotten. */
async function findProject(store: Store, projectId: string): Promise<string | undefined> {
  try {
    return (await store.projects.read(projectId)).path;
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
  const folders: RealFolder[] = [
    { path: store.packages.folder(record.packageHash), shown: '@pkg' },
    { path: await store.works.stateFolder(toAddress(record)), shown: '@state' },
    { path: store.root, shown: '(store)' },
    { path: homedir(), shown: '~' },
    ...(project === undefined ? [] : [{ path: project, shown: '@project' }]),
  ];
  const real = await Promise.all(
    folders.map(async ({ path, shown }) => ({ path: await realOf(path), shown })),
  );
  return [...folders, ...real];
}

async function realOf(path: string): Promise<string> {
  return (await ifAllowed(realpath(path))) ?? path;
}

/** The relative path from the export to the project; undefined unless the export is inside the project. */
async function linkBase(
  project: string | undefined,
  folder: string | undefined,
): Promise<string | undefined> {
  if (project === undefined || folder === undefined) return undefined;
  const up = relative(await realOf(folder), project).replaceAll('\\', '/');
  return /^(?:\.\.(?:\/|$))*$/.test(up) ? up.replace(/\/?$/, '/').replace(/^\/$/, './') : undefined;
}

/** Writes the file atomically; replaces an existing file only if forced. */
export async function writeExport(
  file: string,
  text: string | Buffer,
  { isForced }: { readonly isForced: boolean },
): Promise<void> {
  await withDiskErrors(`Could not write "${file}"`, async () => {
    if (!isForced) await requireFreeFile(file);
    makeFolderOf(file);
    await replaceFile(file, text, 0o644);
  });
}

export async function requireFreeFile(file: string): Promise<void> {
  if (await ifPresent(lstat(file)))
    throw new CrewError(
      'TARGET_EXISTS',
      `"${file}" already exists. Choose another name, or use --force to replace it.`,
    );
}

/** A folder of this machine, and the name of its mount. */
interface RealFolder {
  readonly path: string;
  readonly shown: string;
}

/** Replaces real paths in every text of the value, including keys. */
function hidePaths<T>(value: T, folders: readonly RealFolder[]): T {
  const hide = createHider(folders);
  const walk = (part: unknown): unknown => {
    if (typeof part === 'string') return hide(part);
    if (Array.isArray(part)) return part.map(walk);
    if (typeof part !== 'object' || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([key, field]) => [hide(key), walk(field)]));
  };
  // Only texts are replaced, and only by texts.
  return walk(value) as T;
}

function createHider(folders: readonly RealFolder[]): (text: string) => string {
  const byLength = folders
    .map(({ path, shown }) => ({ parts: path.split(/[\\/]+/).filter(Boolean), path, shown }))
    // A root alone would match everywhere.
    .filter(({ parts }) => parts.length > 0 && !/^[A-Za-z]:$/.test(parts.join('')))
    .sort((a, b) => b.path.length - a.path.length);
  if (byLength.length === 0) return (text) => text;
  const patterns = byLength.map(({ parts, path }) => {
    const lead = /^[\\/]/.test(path) ? SEPARATOR : '';
    return `(${lead}${parts.map(escapePattern).join(SEPARATOR)})`;
  });
  const pattern = new RegExp(`(?<![\\w.-])(?:${patterns.join('|')})(?![\\w-])`, 'gi');
  return (text) =>
    text.replace(pattern, (whole, ...groups: unknown[]) => {
      const index = groups.slice(0, byLength.length).findIndex((group) => group !== undefined);
      return byLength[index]?.shown ?? whole;
    });
}

/** In JSON inside a text, a backslash is doubled. */
const SEPARATOR = '[\\\\/]+';

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/**
 * For programs: the complete record, view and log status, with sorted keys. Invisible characters are escaped, so that the file is
 * safe to show on a screen and still complete.
 */
export function toJson({ record, view, log, called = {} }: ExportSource): string {
  const calls = Object.keys(called).length > 0 ? { called } : {};
  const whole = { format: 'crewagent-run', version: 1, log, record: toStored(record), view, ...calls };
  const text = JSON.stringify(whole, inOrder, 2);
  return `${text.split('\n').map(escapeInvisible).join('\n')}\n`;
}

function inOrder(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function escapeInvisible(line: string): string {
  if (!hasInvisible(line)) return line;
  return [...line].map((character) => (hasInvisible(character) ? toEscapes(character) : character)).join('');
}

function toEscapes(character: string): string {
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}

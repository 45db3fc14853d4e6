/** `crewagent export`: writes a run, or one file of it, to one file. */
import { dirname, extname, resolve } from 'node:path';
import {
  CrewError,
  type DocumentFormat,
  type ExportFormat,
  exportArtifact,
  exportRun,
  resolveRun,
  showWork,
  writeExport,
} from '@crewagent/core';
import type { ExitCode } from '../exit-codes.ts';
import { hostProcess } from '../host-process.ts';
import { openRuntime } from '../open-runtime.ts';
import { printDone, sanitize, style } from '../terminal.ts';
import { userLanguage } from '../user-language.ts';
import type { BundleOptions } from './bundle.ts';

export interface ExportOptions extends BundleOptions {
  readonly format?: ExportFormat;
  readonly file?: string;
  readonly bundle?: true;
}

export async function exportRunTo(ref: string, options: ExportOptions): Promise<ExitCode | undefined> {
  const isBundle = options.bundle ?? (options.out !== undefined && extname(options.out) === '.crewrun');
  if (isBundle) return (await import('./bundle.ts')).exportBundleTo(ref, options);
  await exportDocument(ref, options);
  return undefined;
}

async function exportDocument(ref: string, options: ExportOptions): Promise<void> {
  const { out, file, force = false } = options;
  const format = options.format ?? (out === undefined ? 'md' : formatOf(out));
  const { stdout } = hostProcess();
  if (out === undefined && BINARY.has(format) && stdout.isTTY)
    throw new CrewError(
      'USAGE',
      `A ${format} file cannot be shown in a terminal. Give a file name: --out run.${format}`,
    );
  const { store } = openRuntime();
  const folder = out === undefined ? undefined : dirname(resolve(out));
  const { view, ...report } = await showWork(store, await resolveRun(store, ref));
  const content =
    file === undefined
      ? await exportRun(
          { ...report, view: view.own, called: Object.fromEntries(view.runs) },
          { store, format, folder, language: userLanguage() },
        )
      : await exportArtifact(report.record, { store, path: file, format: toDocumentFormat(format) });
  if (out === undefined) {
    stdout.write(content);
    return;
  }
  await writeExport(out, content, { isForced: force });
  printDone(`wrote ${style('bold', sanitize(out))}`);
}

const BINARY: ReadonlySet<ExportFormat> = new Set(['docx', 'pdf'] as const);

/** One file is not exported as Markdown or JSON: it is there as it is. */
function toDocumentFormat(format: ExportFormat): DocumentFormat {
  if (format === 'html' || format === 'docx' || format === 'pdf') return format;
  throw new CrewError('USAGE', 'A single file is exported as html, docx or pdf. Give --format.');
}

const FORMATS: Readonly<Record<string, ExportFormat>> = {
  '.md': 'md',
  '.markdown': 'md',
  '.json': 'json',
  '.html': 'html',
  '.htm': 'html',
  '.docx': 'docx',
  '.pdf': 'pdf',
};

function formatOf(file: string): ExportFormat {
  const format = FORMATS[extname(file).toLowerCase()];
  if (format) return format;
  throw new CrewError(
    'USAGE',
    `The file name "${file}" has no known extension. Give --format md, json, html, docx or pdf, or --bundle.`,
  );
}

/** `crewagent export`: writes a run to one file. */
import { dirname, extname, resolve } from 'node:path';
import { CrewError, type ExportFormat, exportRun, resolveRun, showWork, writeExport } from '@crewagent/core';
import { hostProcess } from '../host-process.ts';
import { openRuntime } from '../open-runtime.ts';
import { print, sanitize, style } from '../terminal.ts';

export interface ExportOptions {
  readonly format?: ExportFormat;
  readonly out?: string;
  readonly force?: true;
}

export async function exportRunTo(ref: string, options: ExportOptions): Promise<void> {
  const { out, force = false } = options;
  const format = options.format ?? (out === undefined ? 'md' : formatOf(out));
  const { store } = openRuntime();
  const folder = out === undefined ? undefined : dirname(resolve(out));
  const { view, ...report } = await showWork(store, await resolveRun(store, ref));
  const text = await exportRun(
    { ...report, view: view.own, called: Object.fromEntries(view.runs) },
    { store, format, folder },
  );
  if (out === undefined) {
    hostProcess().stdout.write(text);
    return;
  }
  await writeExport(out, text, { isForced: force });
  print(`${style('green', '✔')} wrote ${style('bold', sanitize(out))}`);
}

const FORMATS: Readonly<Record<string, ExportFormat>> = {
  '.md': 'md',
  '.markdown': 'md',
  '.json': 'json',
  '.html': 'html',
  '.htm': 'html',
};

function formatOf(file: string): ExportFormat {
  const format = FORMATS[extname(file).toLowerCase()];
  if (format) return format;
  throw new CrewError(
    'USAGE',
    `The file name "${file}" has no known extension. Give --format md, json or html.`,
  );
}

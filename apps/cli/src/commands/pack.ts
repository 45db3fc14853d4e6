/** `crewagent pack`: packs a package folder into a .bmad file, reproducibly. */
import { packFolder, toFileName } from '@crewagent/core';
import { validationContext } from '../context.ts';
import { printDiagnostics } from '../print/print-diagnostics.ts';
import { say } from '../print/texts/say.ts';
import { print, printDone, sanitize, style } from '../terminal.ts';

export async function pack(dir: string, options: { out?: string; json?: true }): Promise<void> {
  const packed = await packFolder(
    dir,
    options.out ?? (({ manifest }) => `${toFileName(manifest.name)}-${toFileName(manifest.version)}.bmad`),
    validationContext,
  );
  const { target: file, bytes, sha256, files } = packed;
  if (options.json) return print(JSON.stringify({ file, bytes, sha256, files, warnings: packed.warnings }));
  printDiagnostics(packed.warnings, 'error');
  printDone(`${style('bold', sanitize(file))}  ${say('new.files', { count: files })}, ${kilobytes(bytes)}`);
  print(style('dim', `  sha256 ${sha256}`));
}

function kilobytes(bytes: number): string {
  return bytes < 1024 ? `${bytes} B` : `${(bytes / 1024).toFixed(1)} KiB`;
}

/**
 * Lines that say why a rehearsal failed. Pure.
 */
import type { RehearsalFailure } from '@crewagent/core';
import { sanitize } from '../terminal.ts';
import { plural } from './print-diagnostics.ts';

/** One phrase, such as "2 files that steps name are not in the package". */
export function summariseFailures(failures: readonly RehearsalFailure[]): string {
  const count = (kind: RehearsalFailure['kind']): number =>
    failures.filter((failure) => failure.kind === kind).length;
  const files = count('missing-file');
  const phrases = {
    [`${plural(files, 'file')} that steps name ${files === 1 ? 'is' : 'are'} not in the package`]: files,
    [`${plural(count('not-completed'), 'run')} did not complete`]: count('not-completed'),
    [`${plural(count('not-covered'), 'node or edge', 'nodes or edges')} not covered`]: count('not-covered'),
    [`a lazy model can complete ${plural(count('lazy-completed'), 'workflow')}`]: count('lazy-completed'),
    [`a diligent model did not complete ${plural(count('reader-stopped'), 'workflow')}`]:
      count('reader-stopped'),
  };
  return Object.keys(phrases)
    .filter((phrase) => phrases[phrase] !== 0)
    .join(', ');
}

const MAX_FILES = 20;

/** Where steps name missing files, one per line; the other failures are part of the report of their workflow. */
export function listMissingFiles(failures: readonly RehearsalFailure[]): string[] {
  const missing = failures.filter(({ kind }) => kind === 'missing-file');
  const lines = missing.slice(0, MAX_FILES).map(({ file, line, message }) => {
    const where = file === undefined ? '' : `${sanitize(file)}${line === undefined ? '' : `:${line}`}  `;
    return where + sanitize(message);
  });
  return missing.length > MAX_FILES ? [...lines, `… and ${missing.length - MAX_FILES} more`] : lines;
}

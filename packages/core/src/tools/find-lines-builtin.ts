/**
 * Finds lines where there is no ripgrep: JavaScript in worker threads, so that the event loop stays free and a pattern
 * that takes for ever is ended with its thread.
 */
import { availableParallelism } from 'node:os';
import {
  escapeRegExp,
  InvalidPattern,
  judgePlain,
  type LineFinder,
  type LineQuery,
  MAX_SEARCHED_BYTES,
  toColumn,
} from './line-finder.ts';
import type { WorkerPattern, WorkerTask } from './search-worker.ts';
import { createSearchWorkers } from './search-workers.ts';

const MAX_WORKERS = 4;

export function createBuiltinFinder(): LineFinder {
  const workers = createSearchWorkers();
  return {
    async *find(search, signal) {
      const { query, ...tree } = search;
      const pattern = toWorkerPattern(query);
      const shares = Math.min(availableParallelism(), MAX_WORKERS);
      const tasks = Array.from(
        { length: shares },
        (_, share): WorkerTask => ({
          kind: 'find',
          pattern,
          ...tree,
          maxBytes: MAX_SEARCHED_BYTES,
          share,
          shares,
        }),
      );
      let files = 0;
      let finished = 0;
      for await (const report of workers.run(tasks, signal)) {
        if (report.kind === 'lines') yield report;
        if (report.kind !== 'scanned') continue;
        files += report.files;
        if (++finished === shares) yield { kind: 'scanned', files };
      }
    },

    async judge(lines, query, signal) {
      if (!query.isRegex) return judgePlain(lines, query);
      const task: WorkerTask = { kind: 'judge', pattern: toWorkerPattern(query), lines };
      for await (const report of workers.run([task], signal))
        if (report.kind === 'judged') return report.indices.map(toColumn);
      return [];
    },
  };
}

/** The query for JavaScript's engine; spellings that only ripgrep's engine takes are turned into its own. */
function toWorkerPattern({ text, isRegex, caseSensitive }: LineQuery): WorkerPattern {
  const ignoresCase = !caseSensitive || (isRegex && text.startsWith('(?i)'));
  const source = isRegex ? toJavaScript(text) : escapeRegExp(text);
  const flags = ignoresCase ? 'iu' : 'u';
  try {
    new RegExp(source, flags);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new InvalidPattern(error.message.split(': ').at(-1));
  }
  return {
    exactText: isRegex || ignoresCase ? undefined : text,
    source,
    flags,
    isPlainAscii: /^[\x20-\x7e]*$/.test(text) && !(isRegex && /\\[pPuk]/.test(text)),
    // Everything that is able to stand for a line break: then each line must be looked at on its own.
    spansLines: isRegex && /\[\^|\(\?|\\[sWDPnrtfv0xuc]/.test(text),
  };
}

function toJavaScript(pattern: string): string {
  return pattern
    .replace(/^\(\?i\)/, '')
    .replaceAll('(?P<', '(?<')
    .replace(/\\([!-/:-@[-`{-~])/g, (_, escaped: string) => `\\x${escaped.charCodeAt(0).toString(16)}`);
}

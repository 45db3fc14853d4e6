/**
 * Line finder for machines without ripgrep. Walks the tree and tests each line. Literal text is tested in this thread;
 * a regular expression is tested in a worker thread, because only a thread can be stopped during endless backtracking.
 */
import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { InvalidPattern, type LineFinder, type LineQuery, matchPlainText, toColumn } from './line-finder.ts';
import { readText, walkFiles } from './search-walk.ts';

type Columns = readonly (number | undefined)[];

interface LineTester {
  /** Returns an empty list after an abort. */
  test(lines: readonly string[]): Promise<Columns> | Columns;
  close(): Promise<unknown> | undefined;
}

export function createBuiltinFinder(): LineFinder {
  return {
    async *find(search, signal) {
      const { query } = search;
      const tester = createLineTester(query, signal);
      let files = 0;
      try {
        for await (const path of walkFiles(search, signal)) {
          await setImmediate();
          if (signal.aborted) return;
          const text = readText(`${search.rootPath}/${path}`);
          if (text === undefined) continue;
          files++;
          // Most files have no match; for literal text one check of the whole file rules them out.
          if (!query.isRegex && matchPlainText([text], query)[0] === undefined) continue;
          const columns = await tester.test(toLines(text));
          const lines = columns.flatMap((column, index) => (column === undefined ? [] : [index + 1]));
          if (lines.length > 0) yield { kind: 'lines', path, lines: lines.slice(0, search.maxLinesPerFile) };
        }
        yield { kind: 'scanned', files };
      } finally {
        await tester.close();
      }
    },

    async matchLines(lines, query, signal) {
      const tester = createLineTester(query, signal);
      try {
        return await tester.test(lines);
      } finally {
        await tester.close();
      }
    },
  };
}

function toLines(text: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
}

function createLineTester(query: LineQuery, signal: AbortSignal): LineTester {
  if (!query.isRegex) return { test: (lines) => matchPlainText(lines, query), close: () => undefined };
  const pattern = toJavaScriptPattern(query);
  // The worker must not inherit loaders and flags of this process.
  const worker = new Worker(WORKER_SOURCE, { eval: true, env: {}, execArgv: [], workerData: pattern });
  return {
    async test(lines) {
      worker.postMessage(lines);
      try {
        const [indices] = (await once(worker, 'message', { signal })) as [number[]];
        return indices.map(toColumn);
      } catch (error) {
        if (signal.aborted) return [];
        throw error;
      }
    },
    close: () => worker.terminate(),
  };
}

/** Worker that tests lists of lines. A line that overflows the regex engine's stack (RangeError) does not match. */
const WORKER_SOURCE = `
  const { parentPort, workerData } = require('node:worker_threads');
  const pattern = new RegExp(workerData.source, workerData.flags);
  const indexIn = (line) => {
    try {
      return line.search(pattern);
    } catch {
      return -1;
    }
  };
  parentPort.on('message', (lines) => parentPort.postMessage(lines.map(indexIn)));
`;

/** Translates ripgrep's regex syntax to JavaScript's. */
function toJavaScriptPattern({ text, caseSensitive }: LineQuery): { source: string; flags: string } {
  const source = text
    .replace(/^\(\?i\)/, '')
    .replaceAll('(?P<', '(?<')
    .replace(/\\([!-/:-@[-`{-~])/g, (_, escaped: string) => `\\x${escaped.charCodeAt(0).toString(16)}`);
  const flags = caseSensitive && !text.startsWith('(?i)') ? 'u' : 'iu';
  try {
    new RegExp(source, flags);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new InvalidPattern(error.message.split(': ').at(-1));
  }
  return { source, flags };
}

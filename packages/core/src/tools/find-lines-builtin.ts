/**
 * Finds lines where ripgrep is not installed: a plain walk, and each line tested on its own. Literal text is tested here,
 * file by file. A regular expression is tested in a worker thread, because only a thread can be stopped
 * while a pattern backtracks without end.
 */
import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { InvalidPattern, judgePlain, type LineFinder, type LineQuery, toColumn } from './line-finder.ts';
import { readText, walkFiles } from './search-walk.ts';

type Columns = readonly (number | undefined)[];

interface LineTester {
  /** Empty after an abort. */
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
          // Most files have no match, and literal text is found in a whole file at once.
          if (!query.isRegex && judgePlain([text], query)[0] === undefined) continue;
          const columns = await tester.test(toLines(text));
          const lines = columns.flatMap((column, index) => (column === undefined ? [] : [index + 1]));
          if (lines.length > 0) yield { kind: 'lines', path, lines: lines.slice(0, search.maxLinesPerFile) };
        }
        yield { kind: 'scanned', files };
      } finally {
        await tester.close();
      }
    },

    async judge(lines, query, signal) {
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
  if (!query.isRegex) return { test: (lines) => judgePlain(lines, query), close: () => undefined };
  const pattern = toJavaScriptPattern(query);
  // Loaders and flags of this process are not for the thread.
  const worker = new Worker(TESTER, { eval: true, env: {}, execArgv: [], workerData: pattern });
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

/** Tests lists of lines. A line that needs more stack than the engine has (RangeError) does not match. */
const TESTER = `
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

/** The query for JavaScript's engine, with the spellings that only ripgrep's engine knows translated. */
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

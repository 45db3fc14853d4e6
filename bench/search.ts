/**
 * Searching 20,000 files of 200 MB in total: `fs.search` against plain ripgrep, the built-in search engine against that, and how
 * long the event loop is blocked.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createMountedFs } from '../packages/core/src/mounts/mounted-fs.ts';
import { createSecretCheck } from '../packages/core/src/mounts/sensitive/secret-files.ts';
import { createBuiltinFinder } from '../packages/core/src/tools/search/find-lines-builtin.ts';
import { resolveRipgrep } from '../packages/core/src/tools/search/find-lines-ripgrep.ts';
import { createFsSearch } from '../packages/core/src/tools/search/fs-search.ts';
import type { LineFinder } from '../packages/core/src/tools/search/line-finder.ts';
import { createToolPaths } from '../packages/core/src/tools/tool-paths.ts';
import { atMost, compare, median, type Row, toRow } from './measure.ts';

const FILES = 20_000;
const FILE_BYTES = 10_500;
const MATCHES = 40;
const NEEDLE = 'Needle_Of_Gold';
const ROUNDS = 21;

export async function benchSearch(): Promise<Row[]> {
  const folder = makeTree(join(tmpdir(), `crewagent-bench-search-${FILES}-${FILE_BYTES}`));
  const ripgrep = await resolveRipgrep();
  if (ripgrep === undefined) throw new Error('ripgrep was not found on this machine');
  const baseline = (): Promise<void> => bareRipgrep(ripgrep, folder);
  const ours = searcher(folder);
  const builtin = searcher(folder, createBuiltinFinder());
  await Promise.all([ours(), builtin(), baseline()]);
  return [
    toRow('fs.search in 20,000 files / the bare ripgrep', await compare(ROUNDS, ours, baseline), 1.1),
    toRow('the built-in search engine / the bare ripgrep', await compare(ROUNDS, builtin, baseline), 2.5),
    await standstill('fs.search', ours),
    await standstill('the built-in searcher', builtin),
  ];
}

function searcher(folder: string, finder?: LineFinder): () => Promise<void> {
  const isSecret = createSecretCheck();
  const files = createMountedFs({ project: folder, pkg: folder, state: folder }, isSecret);
  const paths = createToolPaths({ files, artifactsDir: 'artifacts' });
  const tool = createFsSearch({ files, isSecret, paths, finder });
  return async () => {
    const args = tool.parse({ query: NEEDLE });
    const { signal } = new AbortController();
    const reply = args.ok ? await tool.run(args.value, { callId: '', name: tool.name, signal }) : undefined;
    const found = reply?.kind === 'result' && reply.result.ok ? reply.result.found : undefined;
    if (typeof found !== 'string' || !found.startsWith(`${MATCHES} matches`))
      throw new Error(`the search failed: ${JSON.stringify(reply)}`);
  };
}

/** The same search with plain ripgrep, with its output read to the end. */
async function bareRipgrep(binary: string, folder: string): Promise<void> {
  const flags = ['--no-config', '--line-number', '--null', '--no-require-git', '--max-filesize=16M'];
  const args = [...flags, '--ignore-case', '--fixed-strings', `--regexp=${NEEDLE}`, '.'];
  const child = spawn(binary, args, { cwd: folder, env: {}, stdio: ['ignore', 'pipe', 'inherit'] });
  const closed = once(child, 'close');
  let lines = 0;
  for await (const chunk of child.stdout as AsyncIterable<Buffer>)
    lines += chunk.toString().split('\n').length - 1;
  await closed;
  if (lines !== MATCHES) throw new Error(`ripgrep found ${lines} lines`);
}

/** The longest time a search blocks the event loop (median of many searches), against a noticeable delay. */
async function standstill(who: string, work: () => Promise<void>): Promise<Row> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const longest: number[] = [];
  delay.enable();
  for (let round = 0; round < ROUNDS; round++) {
    delay.reset();
    await work();
    longest.push(delay.max / 1e6);
  }
  delay.disable();
  return atMost(`longest block of the event loop, ${who}`, median(longest), 20);
}

/** Created once and reused; an unfinished tree has another name. */
function makeTree(folder: string): string {
  if (existsSync(folder)) return folder;
  const unfinished = `${folder}-${process.pid}`;
  rmSync(unfinished, { recursive: true, force: true });
  const words = WORDS.split(' ');
  let seed = 1;
  const random = (below: number): number => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return (seed >> 8) % below;
  };
  for (let file = 0; file < FILES; file++) {
    const parent = join(unfinished, `part-${file % 10}`, `folder-${file % 200}`);
    if (file < 200) mkdirSync(parent, { recursive: true });
    let text = '';
    while (text.length < FILE_BYTES) text += `${words[random(words.length)]}${random(8) === 0 ? '\n' : ' '}`;
    if (file % (FILES / MATCHES) === 7) text += `\nhere is the ${NEEDLE} in a line\n`;
    writeFileSync(join(parent, `file-${file}.${['ts', 'md', 'json', 'txt'][random(4)]}`), text);
  }
  renameSync(unfinished, folder);
  return folder;
}

const WORDS =
  'the of request file state token return const function value model agent project workflow import export string ' +
  'number error result path write read open close mount search line match before after when then while until promise ' +
  'await async stream buffer index count limit time';

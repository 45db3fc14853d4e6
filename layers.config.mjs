/**
 * The layers of the code. Imports go down only, folders on one layer do not import each other, there are no import cycles,
 * and pure folders use neither disk, network, clock nor randomness.
 */
const CORE = '^packages/core/src';

/** Folders of core, bottom layer first. */
const coreLayers = [
  ['base'],
  ['policy'],
  ['mounts', 'workflow', 'llm', 'processes', 'sigstore'],
  ['store', 'tools', 'prompt', 'agents', 'rehearse/models'],
  ['engine', 'bmad', 'mcp', 'shell', 'data', 'documents', 'project-files', 'telemetry'],
  ['hooks'],
  ['session', 'reports', 'search'],
  ['rehearse', 'transfer', 'file-use'],
  ['import', 'package-tests', 'bundle'],
  ['sharing'],
  ['upstream', 'author', 'fork'],
  ['rerun'],
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
  ['works', 'settings', 'results', 'team', 'author', 'compare', 'bundles', 'help'],
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
      from: { path: `${root}/${folder}/`, pathNot: '\\.test\\.tsx?$' },
      to: {
        path: `${root}/`,
        pathNot: [folder, ...layers.slice(0, level).flat()].map((below) => `${root}/${below}/`),
      },
    })),
  );
}

export const forbidden = [
  ...toRules(CORE, coreLayers),
  ...toRules(WEB, webLayers),
  ...cliFolders.slice(0, -1).map((folder, level) => ({
    name: `layer-cli-${folder}`,
    comment: `${folder} may import only folders of lower layers`,
    from: { path: `${CLI}/${folder}/`, pathNot: '\\.test\\.ts$' },
    to: { path: `${CLI}/(${cliFolders.slice(level + 1).join('|')})/` },
  })),
  {
    name: 'store-adapters',
    comment: 'only the modules that open a store import its adapters; all others use the ports in store/',
    from: {
      pathNot: [
        `${CORE}/(store/(disk|open-memory-store)|store-adapters|runtime|search-thread|index)[/.]`,
        ...TEST_CODE,
      ],
    },
    to: { path: `${CORE}/store/disk/` },
  },
  {
    name: 'store-files',
    comment: 'folders outside of store/ use its ports, types and pure functions',
    from: { pathNot: [`${CORE}/store(/|-adapters\\.)`, ...TEST_CODE] },
    to: { path: `${CORE}/store/(memory|work-files)/` },
  },
  {
    name: 'rehearsal-seam',
    comment:
      'a model that is simulated is created in one place, like any other; only rehearse/ knows more of it',
    from: { pathNot: [`${CORE}/(rehearse/|package-tests/|session/models/model-adapter\\.ts)`, ...TEST_CODE] },
    to: { path: `${CORE}/rehearse/models/` },
  },
  {
    name: 'no-index-from-inside',
    comment: 'index.ts is for other packages',
    from: { path: `${CORE}/` },
    to: { path: `${CORE}/index\\.ts$` },
  },
  {
    name: 'testing-is-for-tests',
    from: {
      pathNot: [
        '\\.test\\.ts$',
        `${CORE}/testing/`,
        '^(apps/(cli|desktop)|packages/(doors|server|team))/src/testing/',
        '^(bench|e2e|scripts)/',
      ],
    },
    to: { path: `(${CORE}|^packages/(doors|server|team)/src)/testing/` },
  },
  {
    name: 'protocol-is-independent',
    from: { path: '^packages/protocol/src', pathNot: '\\.test\\.ts$' },
    to: { pathNot: ['^packages/protocol/src', '^node_modules/zod/'] },
  },
  {
    name: 'core-does-not-import-apps',
    from: { path: CORE },
    to: { path: '^(apps|packages/(client|doors|lsp|server|team))/' },
  },
  {
    name: 'client-uses-protocol',
    comment: 'it runs in browsers; only its entry for Node finds the server in the store',
    from: { path: '^packages/client/', pathNot: [...TEST_CODE, '/local\\.ts$'] },
    to: { path: '^(apps|packages/(core|doors|lsp|server|team))/' },
  },
  {
    name: 'doors-use-core-only',
    from: { path: '^packages/doors/', pathNot: TEST_CODE },
    to: { path: '^(apps|packages/(client|lsp|server|team))/' },
  },
  {
    name: 'lsp-uses-core-only',
    from: { path: '^packages/lsp/', pathNot: TEST_CODE },
    to: { path: '^(apps|packages/(client|doors|server|team))/' },
  },
  {
    name: 'server-does-not-import-team',
    comment: 'the local product contains nothing of the team edition; what a team server adds is passed in',
    from: { path: '^packages/server/' },
    to: { path: '^packages/(client|doors|team)/' },
  },
  {
    name: 'web-uses-core-over-http',
    from: { path: '^apps/web/' },
    to: { path: '^(packages/(client|core|doors|server|team)|apps/(cli|desktop))/' },
  },
  {
    name: 'web-testing-is-for-tests',
    from: { path: '^apps/web/src', pathNot: ['\\.test\\.tsx?$', '^apps/web/src/testing/'] },
    to: { path: '^apps/web/src/testing/' },
  },
  {
    name: 'pure-folders',
    comment: 'pass the clock, the disk and id generators as arguments',
    from: { path: `${CORE}/(workflow|prompt|agents)/`, pathNot: '\\.test\\.ts$' },
    to: { path: '^node:' },
  },
  {
    name: 'electron-only-in-wrappers',
    comment: 'the rest of the desktop app is tested without Electron',
    from: { pathNot: '^apps/desktop/src/(main|preload|to-electron-api)\\.ts$' },
    to: { path: '^node_modules/electron/' },
  },
  {
    name: 'desktop-imports-no-other-app',
    from: { path: '^apps/desktop/' },
    to: { path: '^apps/(cli|web)/' },
  },
  {
    name: 'desktop-testing-is-for-tests',
    from: { path: '^apps/desktop/src', pathNot: ['\\.test\\.ts$', '^apps/desktop/src/testing/'] },
    to: { path: '^apps/desktop/src/testing/' },
  },
];

/** Pairs of folders that still import each other; this list only becomes shorter. */
export const mutualFolders = [
  'apps/cli/src ↔ apps/cli/src/define',
  'apps/cli/src ↔ apps/cli/src/print',
  'apps/web/src/app ↔ apps/web/src/app/conversation',
  'apps/web/src/files ↔ apps/web/src/files/dialogs',
  'apps/web/src/files ↔ apps/web/src/files/tree',
  'apps/web/src/run ↔ apps/web/src/run/timeline',
  'apps/web/src/run/inspector ↔ apps/web/src/run/inspector/artifacts',
  'apps/web/src/run/inspector ↔ apps/web/src/run/inspector/context',
  'apps/web/src/run/inspector ↔ apps/web/src/run/inspector/evidence',
  'apps/web/src/run/inspector ↔ apps/web/src/run/inspector/log',
  'apps/web/src/run/inspector ↔ apps/web/src/run/inspector/state',
  'apps/web/src/run/inspector ↔ apps/web/src/run/inspector/tools',
  'apps/web/src/run/progress ↔ apps/web/src/run/progress/graph',
  'apps/web/src/run/progress ↔ apps/web/src/run/progress/node',
  'apps/web/src/run/timeline ↔ apps/web/src/run/timeline/rows',
  'apps/web/src/settings ↔ apps/web/src/settings/servers',
  'apps/web/src/ui ↔ apps/web/src/ui/errors',
  'packages/core/src/engine ↔ packages/core/src/engine/calls',
  'packages/core/src/engine ↔ packages/core/src/engine/context',
  'packages/core/src/engine ↔ packages/core/src/engine/proof',
  'packages/core/src/mounts ↔ packages/core/src/mounts/sensitive',
  'packages/core/src/processes ↔ packages/core/src/processes/network-gate',
  'packages/core/src/session ↔ packages/core/src/session/conversation',
  'packages/core/src/store ↔ packages/core/src/store/disk',
  'packages/core/src/store ↔ packages/core/src/store/memory',
  'packages/core/src/store/disk ↔ packages/core/src/store/disk/changes',
  'packages/core/src/store/disk ↔ packages/core/src/store/disk/locks',
  'packages/core/src/store/disk ↔ packages/core/src/store/disk/log',
  'packages/core/src/store/disk ↔ packages/core/src/store/disk/packages',
  'packages/core/src/tools ↔ packages/core/src/tools/files',
  'packages/core/src/tools ↔ packages/core/src/tools/search',
  'packages/core/src/tools ↔ packages/core/src/tools/state',
  'packages/core/src/tools/files ↔ packages/core/src/tools/state',
  'packages/core/src/tools/files ↔ packages/core/src/tools/worker',
  'packages/core/src/tools/search ↔ packages/core/src/tools/worker',
  'packages/protocol/src ↔ packages/protocol/src/story',
  'packages/server/src ↔ packages/server/src/routes',
  'packages/server/src ↔ packages/server/src/security',
];

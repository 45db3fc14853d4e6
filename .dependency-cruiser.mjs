/**
 * The floors of the house. Imports go down only, rooms on one floor do not know each other,
 * there are no circles, and the pure rooms touch neither disk, network, clock nor chance.
 */
const CORE = '^packages/core/src';

/** Rooms of core from the ground up; a room imports only rooms of lower floors. */
const floors = [
  ['base'],
  ['mounts', 'workflow', 'llm'],
  ['store', 'tools', 'prompt', 'agents'],
  ['engine', 'bmad', 'mcp', 'data', 'project-files'],
  ['session', 'reports'],
  ['rehearse'],
  ['import'],
];

const WEB = '^apps/web/src';

/** Rooms of the page: texts, primitives, what it knows, what it asks the server, where one is; then what people see. */
const webFloors = [
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

/** A room imports itself and rooms of lower floors. */
function toRules(house, roomsByFloor) {
  return roomsByFloor.flatMap((rooms, level) =>
    rooms.map((room) => ({
      name: `floor-${room}`,
      comment: `${room} may import only rooms below it`,
      severity: 'error',
      from: { path: `${house}/${room}/`, pathNot: '\\.test\\.tsx?$' },
      to: {
        path: `${house}/`,
        pathNot: [room, ...roomsByFloor.slice(0, level).flat()].map((below) => `${house}/${below}/`),
      },
    })),
  );
}

export default {
  forbidden: [
    ...toRules(CORE, floors),
    ...toRules(WEB, webFloors),
    {
      name: 'no-circles',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-index-from-inside',
      comment: 'index.ts is for the outside',
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
      name: 'protocol-stands-alone',
      severity: 'error',
      from: { path: '^packages/protocol/src', pathNot: '\\.test\\.ts$' },
      to: { pathNot: ['^packages/protocol/src', '^node_modules/zod/'] },
    },
    {
      name: 'core-knows-no-app',
      severity: 'error',
      from: { path: CORE },
      to: { path: '^(apps|packages/server)/' },
    },
    {
      name: 'web-meets-core-over-http',
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
      name: 'pure-rooms',
      comment: 'pass the clock, the disk and new ids in',
      severity: 'error',
      from: { path: `${CORE}/(workflow|prompt|agents)/`, pathNot: '\\.test\\.ts$' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'electron-only-where-it-is-wrapped',
      comment: 'everything else of the desktop app is tested without it',
      severity: 'error',
      from: { pathNot: '^apps/desktop/src/(main|preload|to-electron-api)\\.ts$' },
      to: { path: '^node_modules/electron/' },
    },
    {
      name: 'desktop-stands-on-the-server',
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

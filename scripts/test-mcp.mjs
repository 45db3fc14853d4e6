/**
 * `npm run test:mcp`: runs the official MCP conformance suite on our client and our server. The suite needs Node 22, so a separate Node is
 * installed into `.cache`; if that fails, the suite is skipped with a message.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { build } from './build.mjs';
import { fail, root, say, setUp } from './set-up.mjs';

const SUITE = '@modelcontextprotocol/conformance';
/** Scenarios that we claim; docs/decisions/0021-mcp.md lists the others, with reasons. */
const SCENARIOS = [
  'initialize',
  'tools_call',
  'sse-retry',
  'elicitation-sep1034-client-defaults',
  ...[
    'metadata-default',
    'metadata-var1',
    'metadata-var2',
    'metadata-var3',
    'scope-from-www-authenticate',
    'scope-from-scopes-supported',
    'scope-omitted-when-undefined',
    'scope-step-up',
    'scope-retry-limit',
    'token-endpoint-auth-basic',
    'token-endpoint-auth-post',
    'token-endpoint-auth-none',
    'pre-registration',
    '2025-03-26-oauth-endpoint-fallback',
    'resource-mismatch',
    'offline-access-scope',
    'offline-access-not-supported',
  ].map((name) => `auth/${name}`),
];

/** The others need tools, prompts and resources of the suite's own server (docs/decisions/0089-doors.md). */
const SERVER_SCENARIOS = [
  'server-initialize',
  'ping',
  'tools-list',
  'prompts-list',
  'resources-list',
  'resources-subscribe',
  'resources-unsubscribe',
  'server-sse-multiple-streams',
  'dns-rebinding-protection',
];

const folder = join(root, '.cache', 'mcp-conformance');
const nodePackage = `node-linux-${process.arch}`;
const suiteNode = join(folder, 'node_modules', nodePackage, 'bin', 'node');
const suite = join(folder, 'node_modules', SUITE, 'dist', 'index.js');

// Before the time limit of a scenario starts.
setUp();
await build();
if (install()) {
  for (const scenario of SCENARIOS) checkClient(scenario);
  await checkServer();
} else say('The MCP conformance suite could not be installed; it was skipped.');

function install() {
  if (existsSync(suite) && existsSync(suiteNode)) return true;
  if (process.platform !== 'linux') return false;
  mkdirSync(folder, { recursive: true });
  const packages = [`${SUITE}@0.1.16`, `${nodePackage}@24.21.0`];
  const options = ['--prefix', folder, '--no-save', '--ignore-scripts', '--loglevel', 'error'];
  const { status } = spawnSync('npm', ['install', ...options, ...packages], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return status === 0 && existsSync(suite) && existsSync(suiteNode);
}

function checkClient(scenario) {
  const client = [
    process.execPath,
    'scripts/run-ts.mjs',
    'packages/core/src/testing/drivers/mcp-client.ts',
  ].join(' ');
  check(scenario, ['client', '--command', client]);
}

async function checkServer() {
  const driver = 'packages/doors/src/testing/drivers/mcp-http-server.ts';
  const entry = join(root, 'apps/cli/dist/crewagent.js');
  const server = spawn(process.execPath, ['scripts/run-ts.mjs', driver, entry], {
    cwd: root,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [printed] = await once(server.stdout, 'data');
  try {
    for (const scenario of SERVER_SCENARIOS) check(scenario, ['server', '--url', String(printed).trim()]);
  } finally {
    server.stdin.end();
  }
}

function check(scenario, args) {
  const { status, stdout, stderr } = spawnSync(suiteNode, [suite, ...args, '--scenario', scenario], {
    cwd: root,
    encoding: 'utf8',
  });
  if (status !== 0) fail(`MCP conformance, ${scenario}:\n${stdout}${stderr}`);
  say(`MCP conformance, ${scenario}: passed`);
}

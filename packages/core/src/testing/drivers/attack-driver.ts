/**
 * Runs scripts in the sandbox, each in a project of its own, as a command or by a server, and prints the answers as JSON. A process
 * of its own, so that it can be another user.
 *
 * Arguments: `command` or `server`; a JSON file with the attacks.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { shellSettingsSchema } from '@crewagent/protocol/shell';
import { mapLimit } from '../../base/map-limit.ts';
import { McpConnection } from '../../mcp/connection.ts';
import { createMcpTools } from '../../mcp/mcp-tools.ts';
import { createShellTools } from '../../shell/shell-tools.ts';
import { createProgramChanges } from '../../tools/changes/program-changes.ts';
import type { ToolAnswer, ToolSource } from '../../tools/tool-source.ts';
import { openProgramParts } from '../rigs/program-parts.ts';

interface Attack {
  readonly project: string;
  readonly work: string;
  readonly script: string;
  readonly git: boolean;
}

const [kind = '', file = '', server = ''] = process.argv.slice(2);
const attacks = JSON.parse(readFileSync(file, 'utf8')) as Attack[];
const answers = await mapLimit(attacks, 4, (attack) =>
  run(attack).catch((error: unknown) => ({ threw: String(error) })),
);
process.stdout.write(JSON.stringify(answers));
process.exit(0);

async function run(attack: Attack): Promise<unknown> {
  const { project, work, script } = attack;
  const parts = await openProgramParts(project, work);
  const context = { callId: 'call', name: 'test', signal: new AbortController().signal };
  if (kind === 'command') {
    const readSettings = async () => shellSettingsSchema.parse({ enabled: true, git: attack.git });
    const { source } = createShellTools({ ...parts, toolTimeoutMs: 60_000, readSettings });
    await source.prepare?.([], context.signal);
    return toPlain(await source.run({ name: 'shell.run', arguments: { command: script } }, context));
  }
  const programs = createProgramChanges({ ...parts, folder: parts.viewsFolder });
  const connection = new McpConnection({
    target: {
      command: process.execPath,
      args: [server, 'runs'],
      env: {},
      inheritEnv: [],
      cwd: project,
      sandbox: { project, network: false, hosts: [], folders: [join(server, '..')], git: attack.git },
    },
    project,
    secrets: [],
    views: { isSecret: parts.isSecret, createFolder: () => programs.createFolder() },
  });
  try {
    return await callServer(
      createMcpTools({ ...parts, programs, servers: async () => [toActive(connection)] }),
      script,
    );
  } finally {
    await connection.close();
  }

  async function callServer(source: ToolSource, text: string): Promise<unknown> {
    await source.prepare?.(['test'], context.signal);
    source.list(['test']);
    return toPlain(await source.run({ name: 'mcp.test.run', arguments: { script: text } }, context));
  }
}

function toActive(connection: McpConnection) {
  return { id: 'test', hash: 'h', trusted: true, disabledTools: [], connection };
}

function toPlain(answer: ToolAnswer): unknown {
  if (answer.kind === 'action') return { asked: answer.prepared.action, files: answer.prepared.files };
  return answer;
}

/**
 * The command or address of a server, from its definition and secret values. Pure.
 */
import { isAbsolute, join } from 'node:path';
import { isStdio, type McpServer } from '@crewagent/protocol/mcp';
import type { HttpAddress } from './open-client.ts';
import type { ServerCommand } from './server-process.ts';

export interface ResolvedServer {
  readonly id: string;
  readonly origin: 'user' | 'project';
  /** Hash of the definition, without the values of stored secrets. */
  readonly hash: string;
  /** Under which its login is stored. */
  readonly loginKey: string;
  readonly trusted: boolean;
  readonly disabledTools: readonly string[];
  readonly target: ServerCommand | HttpAddress;
  readonly secrets: readonly string[];
}

/** What the secrets of a server are bound to: they are not used with another command or URL. */
export function addressOf(server: McpServer): string {
  return isStdio(server) ? JSON.stringify([server.command, server.args]) : server.url;
}

export function toTarget(
  server: McpServer,
  project: string,
  values: Readonly<Record<string, string>>,
): ServerCommand | HttpAddress {
  if (!isStdio(server)) return { url: server.url, headers: pick(values, server.headers) };
  const { command, args, env, inheritEnv, cwd = '.', sandbox } = server;
  return {
    command,
    args,
    env: pick(values, env),
    inheritEnv,
    cwd: isAbsolute(cwd) ? cwd : join(project, cwd),
    ...(sandbox ? { sandbox: { ...sandbox, project } } : {}),
  };
}

function pick(values: Readonly<Record<string, string>>, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => (Object.hasOwn(values, name) ? [[name, values[name] ?? '']] : [])),
  );
}

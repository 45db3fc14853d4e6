/**
 * The names of MCP servers in the settings, for the validation of packages. Most packages name none, so the settings are read
 * only when a name is looked up.
 */
import { readFileSync } from 'node:fs';
import { toServerId } from '@crewagent/protocol/server-ids';
import type { StorePaths } from '../store/disk/layout.ts';

export interface KnownServers {
  has(name: string): boolean;
}

export function createKnownServers({ settings }: Pick<StorePaths, 'settings'>): KnownServers {
  return { has: (name) => readNames(settings).includes(toServerId(name)) };
}

function readNames(file: string): string[] {
  try {
    const settings = JSON.parse(readFileSync(file, 'utf8')) as { mcp?: { servers?: object } } | null;
    return Object.keys(settings?.mcp?.servers ?? {});
  } catch {
    // Whoever needs the settings says what is wrong with them.
    return [];
  }
}

/**
 * The names of MCP servers in the settings, for package validation. Most packages use none, so the settings are read only when
 * a name is looked up.
 */
import { readFileSync } from 'node:fs';
import { toServerId } from '@crewagent/protocol/server-ids';
import { createStoreLayout } from './layout.ts';

export interface KnownServers {
  has(name: string): boolean;
}

export function createKnownServers(root: string): KnownServers {
  const file = createStoreLayout(root).settingsFile;
  return { has: (name) => readNames(file).includes(toServerId(name)) };
}

function readNames(file: string): string[] {
  try {
    const settings = JSON.parse(readFileSync(file, 'utf8')) as { mcp?: { servers?: object } } | null;
    return Object.keys(settings?.mcp?.servers ?? {});
  } catch {
    // Errors in the settings are reported where they are loaded.
    return [];
  }
}

/** The registry of npm packages and the tokens for it, as npm itself reads them: variables `npm_config_…`, then `~/.npmrc`. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { CrewError } from '../base/crew-error.ts';
import { readIfPresent } from '../base/small-files.ts';
import type { Environment } from './proxy.ts';

export interface NpmSettings {
  /** For packages of this name, which may have a scope; ends with a slash. */
  registryFor(name: string): URL;
  /** The header with the token for an address; nothing for other servers, and for other folders of the same one. */
  authorize(address: URL): Readonly<Record<string, string>>;
}

const MAX_BYTES = 1_048_576;

export function readNpmSettings(env: Environment): NpmSettings {
  const home = env.HOME || env.USERPROFILE || homedir();
  const settings = parseNpmrc(readRc(variable(env, 'userconfig') || join(home, '.npmrc')), env);
  return {
    registryFor(name) {
      const [, scope] = /^(@[^/]+)\//.exec(name) ?? [];
      const address =
        (scope !== undefined && settings.get(`${scope}:registry`)) ||
        variable(env, 'registry') ||
        settings.get('registry') ||
        'https://registry.npmjs.org/';
      if (!URL.canParse(address))
        throw new CrewError(
          'USAGE',
          'The registry in your settings of npm is not an address. Correct ~/.npmrc.',
        );
      return new URL(address.endsWith('/') ? address : `${address}/`);
    },
    authorize(address): Record<string, string> {
      const target = `//${address.host}${address.pathname}`;
      for (const [key, value] of settings) {
        const [, place = '', kind] = /^(\/\/.+\/):(_authToken|_auth)$/.exec(key) ?? [];
        if (place !== '' && target.startsWith(place) && /^[\x21-\x7e]+$/.test(value))
          return { authorization: `${kind === '_auth' ? 'Basic' : 'Bearer'} ${value}` };
      }
      return {};
    },
  };
}

/** npm accepts both cases. */
function variable(env: Environment, name: string): string | undefined {
  return env[`npm_config_${name}`] || env[`NPM_CONFIG_${name.toUpperCase()}`];
}

function readRc(file: string): string {
  try {
    return (readIfPresent(file) ?? '').slice(0, MAX_BYTES);
  } catch {
    // Without its settings npm works as well.
    return '';
  }
}

/** `key=value` lines with `${VARIABLES}`. */
function parseNpmrc(text: string, env: Environment): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const line of text.split(/\r?\n/)) {
    const [, key = '', value = ''] = /^\s*([^#;=\s][^=]*?)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    const plain = value.replace(/^(["'])(.*)\1$/, '$2');
    if (key !== '')
      found.set(
        key,
        plain.replace(/\$\{([^}]+)\}/g, (_, name: string) => env[name] ?? ''),
      );
  }
  return found;
}

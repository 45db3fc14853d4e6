/**
 * Where the policies of this machine are: in a folder of the system, and where `CREWAGENT_POLICY` says. Both hold. They are read
 * whenever something is decided; the code that parses them is loaded with the first one.
 */
import { readFileSync } from 'node:fs';
import { posix, resolve, win32 } from 'node:path';
import { isMissing } from '../base/small-files.ts';
import type { LoadedPolicy, Policies } from './loaded-policy.ts';

export interface PolicySource {
  /** Throws POLICY_INVALID if one of them cannot be used: nothing may run then. */
  read(): Promise<Policies>;
  /** Paths of the files; those that must be there come with `isRequired`. */
  readonly places: readonly PolicyPlace[];
}

export interface PolicyPlace {
  readonly path: string;
  /** Named by the environment: a missing file is an error. */
  readonly isRequired: boolean;
}

type Environment = Readonly<Record<string, string | undefined>>;

export function createPolicySource(
  env: Environment = process.env,
  platform: NodeJS.Platform = process.platform,
): PolicySource {
  const places = placesOf(env, platform);
  const known = new Map<string, { readonly bytes: Buffer; readonly loaded: LoadedPolicy }>();
  const load = async ({ path, isRequired }: PolicyPlace): Promise<LoadedPolicy | undefined> => {
    let bytes: Buffer;
    try {
      // In every turn, on machines without a policy: a look costs less than an error.
      if (!isRequired && isMissing(path)) return undefined;
      bytes = readFileSync(path);
    } catch (error) {
      const { unreadable } = await import('./parse-policy.ts');
      throw unreadable(path, error);
    }
    const before = known.get(path);
    const { parsePolicy, readSignature } = await import('./parse-policy.ts');
    const signature = await readSignature(path, env);
    // A signature is verified each time; a text without one is parsed once.
    if (!signature && before?.loaded.signedBy === undefined && before?.bytes.equals(bytes))
      return before.loaded;
    const loaded = parsePolicy(bytes, path, signature);
    known.set(path, { bytes, loaded });
    return loaded;
  };
  return {
    places,
    async read() {
      const found: LoadedPolicy[] = [];
      for (const place of places) {
        const loaded = await load(place);
        if (loaded) found.push(loaded);
      }
      return found;
    },
  };
}

function placesOf(env: Environment, platform: NodeJS.Platform): readonly PolicyPlace[] {
  const named = env.CREWAGENT_POLICY;
  const system = { path: systemPolicyPath(env, platform), isRequired: false };
  return named ? [system, { path: resolve(named), isRequired: true }] : [system];
}

/** Only administrators can write there. */
export function systemPolicyPath(env: Environment, platform: NodeJS.Platform): string {
  switch (platform) {
    case 'win32':
      return win32.join(env.ProgramData || env.PROGRAMDATA || 'C:\\ProgramData', 'crewagent', 'policy.json');
    case 'darwin':
      return '/Library/Application Support/crewagent/policy.json';
    default:
      return posix.join('/etc', 'crewagent', 'policy.json');
  }
}

/**
 * Which files are nobody's business but their owner's. Judged by name, in any letter case; settings may add patterns.
 */
import { foldName } from '../base/file-names.ts';

const SECRET_NAMES: readonly RegExp[] = [
  /^\.env(?:\..+)?$/,
  /^\.envrc$/,
  /^\.(?:npmrc|yarnrc|pypirc|netrc|pgpass|git-credentials|htpasswd|dockercfg)$/,
  /^_netrc$/,
  /^id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?$/,
  /\.(?:pem|key|p12|pfx|jks|keystore|kdbx|ppk|gpg)$/,
  /^(?:credentials|secrets?)(?:\.(?:json|ya?ml|toml|ini|env))?$/,
  /^service[-_]account.*\.json$/,
];
const SECRET_FOLDERS: ReadonlySet<string> = new Set(['.ssh', '.gnupg', '.aws', '.azure', '.kube', '.docker']);
const EXAMPLES = /^\.env\.(?:example|sample|template|dist)$/;

export type IsSecret = (segments: readonly string[]) => boolean;

/** A judge over paths inside a mount. Extra patterns are file names, `*` standing for any characters. */
export function createSecretCheck(extraPatterns: readonly string[] = []): IsSecret {
  const extra = extraPatterns.map(toRegExp);
  return (segments) => {
    const folded = segments.map(foldName);
    const name = folded.at(-1) ?? '';
    if (folded.some((segment) => SECRET_FOLDERS.has(segment))) return true;
    if (extra.some((pattern) => pattern.test(name))) return true;
    return !EXAMPLES.test(name) && SECRET_NAMES.some((pattern) => pattern.test(name));
  };
}

function toRegExp(pattern: string): RegExp {
  const escaped = foldName(pattern)
    .replace(/[.+?^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*');
  return new RegExp(`^${escaped}$`);
}

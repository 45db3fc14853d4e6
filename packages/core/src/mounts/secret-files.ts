/**
 * Detects secret files by name, in any letter case; settings may add patterns.
 */
import { foldName } from '../base/file-names.ts';

const SECRET_NAMES: readonly RegExp[] = [
  /^\.env/,
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

/** Returns a check for paths inside a mount. Extra patterns are file names with `*` as wildcard. */
export function createSecretCheck(extraPatterns: readonly string[] = []): IsSecret {
  const extra = extraPatterns.map((pattern) => foldName(pattern).split('*'));
  return (segments) => {
    const folded = segments.map(foldName);
    const name = folded.at(-1) ?? '';
    if (folded.some((segment) => SECRET_FOLDERS.has(segment))) return true;
    if (extra.some((parts) => matchesParts(name, parts))) return true;
    return !EXAMPLES.test(name) && SECRET_NAMES.some((pattern) => pattern.test(name));
  };
}

/** Whether a name consists of the parts, in order, with anything in between. Linear: each part is searched once. */
function matchesParts(name: string, [first = '', ...rest]: readonly string[]): boolean {
  const last = rest.pop();
  if (last === undefined) return name === first;
  if (!name.startsWith(first) || !name.endsWith(last) || name.length < first.length + last.length)
    return false;
  const end = name.length - last.length;
  let at = first.length;
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found === -1 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}

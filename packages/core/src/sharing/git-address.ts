/**
 * The address of a git repository as a person types it, `URL` or `URL#TAG`. Only addresses that git fetches without running another
 * program of the address's choice are accepted, and nothing that git could take for an option.
 */
import { CrewError } from '../base/crew-error.ts';

export interface GitAddress {
  readonly url: string;
  /** Tag, branch or commit; undefined for the default branch. */
  readonly ref: string | undefined;
}

/** Protocols that git may use, also after a redirect. */
export const GIT_PROTOCOLS = ['https', 'ssh', 'git', 'file'] as const;

const URL_FORM = new RegExp(`^(?:${GIT_PROTOCOLS.join('|')})://[^\\s\\\\]+$`);
/** The short form of ssh. A part before the host that starts with "-" would be an option of ssh. */
const SHORT_FORM = /^[\w.][\w.-]*@[\w.][\w.-]*:(?![/:-]*-)[^\s:\\][^\s\\]*$/;

/** Whether a text can only be meant as the address of a repository. */
export function isGitAddress(text: string): boolean {
  return /^(?:https|ssh|git|file):\/\//.test(text) || /^git@[\w.-]+:/.test(text);
}

export function parseGitAddress(text: string): GitAddress {
  const at = text.indexOf('#');
  const [url, ref] = at === -1 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
  if (!URL_FORM.test(url) && !SHORT_FORM.test(url)) throw refuse(describeUrl(url));
  if (/^ssh:\/\/(?:[^/@]*@)?-|^[^:]+:\/\/-/.test(url)) throw refuse('The name of its host starts with "-".');
  if (/^[a-z]+:\/\/[^/@]*:[^/@]*@/.test(url))
    throw refuse('It contains a password, which would be stored. Let your git ask for it, or use ssh.');
  if (ref !== undefined && !isRef(ref))
    throw refuse(`"${ref.slice(0, 80)}" cannot be the name of a tag, a branch or a commit.`);
  return { url, ref };
}

function refuse(reason: string): CrewError {
  return new CrewError('USAGE', `This address of a git repository is not accepted. ${reason}`);
}

function describeUrl(url: string): string {
  return `Use one that starts with ${GIT_PROTOCOLS.map((name) => `${name}://`).join(', ')}, or user@host:path, instead of "${url.slice(0, 200)}".`;
}

/** The rules of git for names, without characters that no release uses. */
function isRef(ref: string): boolean {
  return /^[\w][\w./+-]{0,200}$/.test(ref) && !/\.\.|\/\/|\/\.|\.lock(?:\/|$)|[./]$/.test(ref);
}

/** The last part of the path, which names the source in reports. */
export function nameOfRepository(url: string): string {
  const last =
    url
      .replace(/[/\\]+$/, '')
      .split(/[/:]/)
      .at(-1) ?? '';
  return decodeName(last.replace(/\.git$/, '')).replace(/[^\w.-]+/g, '-') || 'repository';
}

function decodeName(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

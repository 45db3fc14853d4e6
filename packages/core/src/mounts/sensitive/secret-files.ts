/**
 * Detects secret files by name. The names are in sensitive-files.json; settings may add patterns.
 */
import { createPathPatterns, foldSegment, type PathPatterns } from './path-patterns.ts';
import data from './sensitive-files.json';

/**
 * Whether a path inside a mount belongs to a secret file. `isRegularFile`: the path is known to be a file, so that names
 * which are also given to folders count, such as `id_work`.
 */
export type IsSecret = (segments: readonly string[], isRegularFile?: boolean) => boolean;

/** Extra patterns are file names with `*` as wildcard. */
export function createSecretCheck(extraPatterns: readonly string[] = []): IsSecret {
  const extra = extraPatterns.length === 0 ? undefined : createPathPatterns([extraPatterns]);
  return (segments, isRegularFile = false) =>
    segments.length > 0 && (extra?.find(segments) !== undefined || isListed(segments, isRegularFile));
}

const LISTS = [data.secrets.except, data.secrets.files, data.secrets.regularFiles] as const;
const [EXCEPT, FILES, REGULAR_FILES] = [0, 1, 2];
/** Built on first use: most commands look at no user's file. */
let listed: PathPatterns | undefined;

function isListed(segments: readonly string[], isRegularFile: boolean): boolean {
  listed ??= createPathPatterns(LISTS);
  const folded = segments.map(foldSegment);
  let isSecret = false;
  for (const name of originalsOf(folded.at(-1) ?? '')) {
    folded[folded.length - 1] = name;
    const found = listed.findFolded(folded);
    if (found === EXCEPT) return false;
    isSecret ||= found === FILES || (found === REGULAR_FILES && isRegularFile && !name.includes('.'));
  }
  return isSecret;
}

const BACKUP =
  /(?:~|[.\-_ ](?:bak\d*|backup|old|orig|save|saved|copy|prev|tmp|temp|rej|dpkg-old|rpmsave|\d{1,14}))$/;
const COPY = new RegExp(`^\\.?#|#$|\\.sw[nop]$|${BACKUP.source}`);
const MAX_COPIES = 3;

/** The name, and the names of the files of which it may be a copy that an editor or a person left. */
function originalsOf(name: string): string[] {
  const names = [name];
  if (!COPY.test(name)) return names;
  for (let last = name; names.length <= MAX_COPIES; last = names.at(-1) ?? '') {
    const original = last
      .replace(/^#(.+)#$/, '$1')
      .replace(/^\.#/, '')
      .replace(/^\.?(.+)\.sw[nop]$/, '$1')
      .replace(BACKUP, '');
    if (original === last || original === '') break;
    names.push(original);
    // `.env.swp` is the swap file of `.env` or of `env`.
    if (/\.sw[nop]$/.test(last)) names.push(`.${original}`);
  }
  return names;
}

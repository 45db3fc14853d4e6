/**
 * Parses requests to open links of our scheme and package files, from the command line, a second start and the system. All
 * input is untrusted. Pure.
 */

export const SCHEME = 'crewagent';

export type OpenRequest =
  /** A view of the page. */
  | { readonly kind: 'view'; readonly path: string }
  /** A `.bmad` file. */
  | { readonly kind: 'package'; readonly file: string };

const ID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
/** The paths that a link may open. Links only navigate: none starts, answers or installs anything. */
const ALLOWED_PATHS = new RegExp(
  `^/(?:start|packages(?:/[0-9a-f]{64})?|settings(?:/[a-z]{1,20})?|p/${ID}(?:/w/${ID})?)$`,
);

/** `crewagent://p/<project>/w/<work>`; undefined for any other link. */
export function parseLink(link: string): OpenRequest | undefined {
  const [, target] = /^crewagent:\/\/([\w/.-]{1,200})$/i.exec(link) ?? [];
  const path = target === undefined ? '' : `/${target.replace(/\/$/, '')}`;
  return ALLOWED_PATHS.test(path) ? { kind: 'view', path } : undefined;
}

/** `file` is an absolute path. */
export function parseFile(file: string): OpenRequest | undefined {
  return /\.bmad$/i.test(file) && !file.includes('\0') ? { kind: 'package', file } : undefined;
}

/** `resolve` makes a path absolute, relative to the working directory of the caller. */
export function parseArguments(
  args: readonly string[],
  resolve: (path: string) => string,
): readonly OpenRequest[] {
  return args.flatMap((arg) => {
    // Command-line switches of Electron, Chromium and the system.
    if (arg.startsWith('-')) return [];
    const isLink = arg.toLowerCase().startsWith(`${SCHEME}:`);
    return (isLink ? parseLink(arg) : parseFile(resolve(arg))) ?? [];
  });
}

/**
 * What the program was asked to open: links of its own scheme and package files, from its command line, from a second start
 * and from the system. Pure: all of it comes from outside.
 */

export const SCHEME = 'crewagent';

export type OpenRequest =
  /** A place of the page. */
  | { readonly kind: 'place'; readonly path: string }
  /** A `.bmad` file. */
  | { readonly kind: 'package'; readonly file: string };

const ID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
/** The places that a link may name. Links only show something: none starts, answers or installs anything. */
const PLACES = new RegExp(
  `^/(?:start|packages(?:/[0-9a-f]{64})?|settings(?:/[a-z]{1,20})?|p/${ID}(?:/w/${ID})?)$`,
);

/** `crewagent://p/<project>/w/<work>`; undefined for any other link. */
export function parseLink(link: string): OpenRequest | undefined {
  const [, rest] = /^crewagent:\/\/([\w/.-]{1,200})$/i.exec(link) ?? [];
  const path = rest === undefined ? '' : `/${rest.replace(/\/$/, '')}`;
  return PLACES.test(path) ? { kind: 'place', path } : undefined;
}

/** A file by its full path. */
export function parseFile(file: string): OpenRequest | undefined {
  return /\.bmad$/i.test(file) && !file.includes('\0') ? { kind: 'package', file } : undefined;
}

/** `resolve` makes a path absolute, as seen from the folder of whoever started the program. */
export function parseArguments(
  args: readonly string[],
  resolve: (path: string) => string,
): readonly OpenRequest[] {
  return args.flatMap((arg) => {
    // Switches of Electron, Chromium and the system.
    if (arg.startsWith('-')) return [];
    const isLink = arg.toLowerCase().startsWith(`${SCHEME}:`);
    return (isLink ? parseLink(arg) : parseFile(resolve(arg))) ?? [];
  });
}

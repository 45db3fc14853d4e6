/** Files of other tools that say how a model works and are not imported. They are named, so that nobody misses them later. Pure. */
import type { SourceTree } from './read-source.ts';

export interface OtherKind {
  readonly file: string;
  /** What such files are, in the plural. */
  readonly what: string;
}

const KINDS: readonly (readonly [pattern: RegExp, what: string])[] = [
  [
    /\.mdc$|(?:^|\/)\.(?:cursor|windsurf|cline)rules(?:\/|$)|\.instructions\.md$|(?:^|\/)steering\/[^/]+\.md$/,
    'rules of an editor',
  ],
  [/(?:^|\/)\.roomodes$|(?:^|\/)custom_modes\.ya?ml$/, 'modes of an editor'],
  [/(?:^|\/)(?:agent-teams|teams)\/[^/]+\.ya?ml$/, 'teams of agents'],
  [/(?:^|\/)commands\/.+\.(?:toml|ya?ml)$/, 'commands that are not Markdown'],
  [/(?:^|\/)commands\/.+\.md$/, 'pages of commands without frontmatter'],
  [/^(?!(?:.*\/)?\.github\/).*(?:^|\/)workflows\/.+\.ya?ml$/, 'workflows in a form that is not known'],
  [/(?:^|\/)hooks\/hooks\.json$/, 'hooks'],
  [/(?:^|\/)\.mcp\.json$/, 'servers of tools'],
];

/** `carried`: files that are in the package, or that its workflows and agents were made of. */
export function findOtherKinds({ paths }: SourceTree, carried: ReadonlySet<string>): OtherKind[] {
  return paths.flatMap((file): OtherKind[] => {
    const what = carried.has(file) ? undefined : KINDS.find(([pattern]) => pattern.test(file))?.[1];
    return what === undefined ? [] : [{ file, what }];
  });
}

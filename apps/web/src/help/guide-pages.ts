/** Help, from docs/users and docs/authors: its texts are loaded page by page, its pictures are files of the page. */

const TEXTS = import.meta.glob<string>(
  ['../../../../docs/users/**/*.md', '../../../../docs/authors/**/*.md'],
  { query: '?raw', import: 'default' },
);
const PICTURES = import.meta.glob<string>('../../../../docs/images/guide/*.png', {
  query: '?url',
  import: 'default',
  eager: true,
});

const FOLDERS = ['../../../../docs/users/', '../../../../docs/authors/'];

/** For people who use packages. */
export const FIRST_PAGE = 'using';
/** For authors: the page that lists the others. */
export const AUTHORS_PAGE = 'README';

/** The text of a page; in English if it is not translated, undefined if there is no such page. */
export async function loadGuidePage(page: string, language: string): Promise<string | undefined> {
  const paths = [`${language}/${page}.md`, `${page}.md`];
  const [load] = paths.flatMap((path) => FOLDERS.flatMap((folder) => TEXTS[`${folder}${path}`] ?? []));
  return load?.();
}

export function isGuidePage(page: string): boolean {
  return FOLDERS.some((folder) => `${folder}${page}.md` in TEXTS);
}

/** The address of a picture by its name in a text. */
export function pictureUrl(path: string): string | undefined {
  return PICTURES[`../../../../docs/images/guide/${path.split('/').at(-1)}`];
}

export interface GuideEntry {
  readonly page: string;
  readonly title: string;
}

/** Pages in the order of the list, then those that its other texts link to. Pure. */
export function listGuidePages(contents: string): GuideEntry[] {
  const links = contents.matchAll(/\[([^\]]+)\]\(([\w-]+)\.md\)/g);
  const entries = [...links].map(([, title = '', page = '']) => ({ page, title }));
  return entries.filter(({ page }, index) => entries.findIndex((one) => one.page === page) === index);
}

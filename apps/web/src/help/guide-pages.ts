/** The guide for authors, from docs/authors: its texts are loaded page by page, its pictures are files of the page. */

const TEXTS = import.meta.glob<string>('../../../../docs/authors/**/*.md', {
  query: '?raw',
  import: 'default',
});
const PICTURES = import.meta.glob<string>('../../../../docs/images/guide/*.png', {
  query: '?url',
  import: 'default',
  eager: true,
});

const GUIDE = '../../../../docs/authors/';

/** The page that lists the others. */
export const FIRST_PAGE = 'README';

/** The text of a page; in English if it is not translated, undefined if there is no such page. */
export async function loadGuidePage(page: string, language: string): Promise<string | undefined> {
  const load = TEXTS[`${GUIDE}${language}/${page}.md`] ?? TEXTS[`${GUIDE}${page}.md`];
  return load?.();
}

export function isGuidePage(page: string): boolean {
  return `${GUIDE}${page}.md` in TEXTS;
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

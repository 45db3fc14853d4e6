/** What the author says about a package: licence, authors, addresses, keywords. None of it is verified. */
import '../i18n/package-texts.ts';
import type { About } from '@crewagent/protocol/about';
import type { ReactNode } from 'react';
import { useTranslation } from '../i18n/use-translation.ts';
import { toShownLine } from '../ui/sanitize-text.ts';

export interface Fact {
  readonly name: string;
  readonly value: ReactNode;
  readonly title?: string | undefined;
}

export function FactList({ facts }: { readonly facts: readonly Fact[] }) {
  return (
    <dl className="grid grid-cols-2 gap-x-6 gap-y-3 sm:grid-cols-4">
      {facts.map(({ name, value, title }) => (
        <div key={name} className="min-w-0">
          <dt className="text-sm text-ink-faint">{name}</dt>
          <dd className="tabular-nums wrap-anywhere" title={title}>
            {value}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** `author`: of a package without authors in its about.json. */
export function useAboutFacts(about: About = {}, author?: string): readonly Fact[] {
  const { t } = useTranslation();
  const { license, homepage, repository, keywords = [] } = about;
  const authors = about.authors ?? (author === undefined ? [] : [{ name: author }]);
  const facts: readonly Fact[] = [
    { name: t('packages.author'), value: authors.length > 0 && authors.map(toAuthor) },
    { name: t('packages.licence'), value: license !== undefined && toShownLine(license) },
    { name: t('packages.homepage'), value: homepage !== undefined && <Link url={homepage} /> },
    { name: t('packages.repository'), value: repository !== undefined && <Link url={repository} /> },
    { name: t('packages.keywords'), value: keywords.length > 0 && keywords.map(toShownLine).join(', ') },
  ];
  return facts.filter(({ value }) => value !== false);
}

function toAuthor(
  { name, url }: { readonly name: string; readonly url?: string | undefined },
  index: number,
) {
  return (
    <span key={index} className="block">
      {url === undefined ? toShownLine(name) : <Link url={url}>{toShownLine(name)}</Link>}
    </span>
  );
}

/** The schema lets only http and https through. */
function Link({ url, children }: { readonly url: string; readonly children?: string }) {
  return (
    <a
      href={url}
      title={url}
      target="_blank"
      rel="noopener noreferrer nofollow"
      className="text-accent-text underline"
    >
      {children ?? toShownLine(url.replace(/^https?:\/\//, ''))}
    </a>
  );
}

/** Packages to choose from, or the details of one. */

import '../i18n/package-texts.ts';
import { Boxes } from 'lucide-react';
import { useGallery, usePackageContents } from '../api/queries.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { useMayInstall } from '../state/team-server.ts';
import { ErrorNote } from '../ui/errors/error-note.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { Gallery } from './gallery/gallery.tsx';
import { ImportPackage } from './import-package.tsx';
import { PackageDetails } from './package-details.tsx';
import { DamagedPackages } from './remove-package.tsx';
import { WritePackage } from './write-package.tsx';

export default function PackagesScreen({ hash }: { readonly hash?: string | undefined }) {
  return (
    <div key={hash ?? ''} className="h-full overflow-auto [scrollbar-gutter:stable] bg-canvas">
      <div className="page-column">
        {hash === undefined ? <PackageList /> : <PackageDetails hash={hash} />}
      </div>
    </div>
  );
}

/**
 * All installed packages with their contents, and adding another. Shows nothing below the list before the list is loaded: buttons
 * would move while they are pressed.
 */
function PackageList() {
  const { t } = useTranslation();
  const mayInstall = useMayInstall();
  const { data: cards, error } = useGallery(true);
  const { data: contents } = usePackageContents();
  const damaged = contents?.damaged ?? [];
  const installed = cards?.filter(({ hash }) => hash !== undefined) ?? [];
  const examples = cards?.filter(({ hash }) => hash === undefined) ?? [];
  return (
    <>
      <h1 className="text-xl font-semibold">{t('rail.packages')}</h1>
      <p className="mt-1 max-w-xl text-ink-faint">{t('packages.text')}</p>
      <div className="mt-6 flex flex-col gap-8">
        <ErrorNote issue={error} />
        <DamagedPackages damaged={damaged} />
        {installed.length > 0 ? (
          <section aria-labelledby="installed">
            <h2 id="installed" className="mb-2.5 text-lg font-semibold">
              {t('packages.installedOnes')}
            </h2>
            <Gallery label={t('rail.packages')} cards={installed} />
          </section>
        ) : undefined}
        {cards && installed.length === 0 && damaged.length === 0 ? (
          <div className="flex items-center gap-3 rounded-lg bg-sunken p-4">
            <Boxes className="size-5 shrink-0 text-ink-faint" />
            <div>
              <p className="font-medium">{t('packages.empty')}</p>
              <p className="text-ink-faint">{t('packages.emptyText')}</p>
            </div>
          </div>
        ) : undefined}
        {cards || error ? (
          <>
            {mayInstall && examples.length > 0 ? (
              <section aria-labelledby="examples">
                <h2 id="examples" className="mb-2.5 text-lg font-semibold">
                  {t('packages.examples')}
                </h2>
                <Gallery label={t('packages.examples')} cards={examples} />
              </section>
            ) : undefined}
            {mayInstall ? (
              <section>
                <h2 className="mb-2.5 text-lg font-semibold">{t('packages.bringIn')}</h2>
                <ImportPackage />
              </section>
            ) : undefined}
            <WritePackage />
          </>
        ) : (
          <Skeleton className="h-96" />
        )}
      </div>
    </>
  );
}

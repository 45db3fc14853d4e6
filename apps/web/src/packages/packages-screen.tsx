/** The list of installed packages, or the details of one. */

import { Boxes, ChevronRight } from 'lucide-react';
import { type ShownPackage, usePackageContents } from '../api/queries.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { navigate } from '../navigation/router.ts';
import { ErrorNote } from '../ui/errors/error-note.tsx';
import { ROW_BUTTON, Rows } from '../ui/rows.tsx';
import { toShownLine } from '../ui/sanitize-text.ts';
import { Skeleton } from '../ui/skeleton.tsx';
import { ExampleList } from './example-list.tsx';
import { ImportPackage } from './import-package.tsx';
import { PackageDetails } from './package-details.tsx';
import { DamagedPackages } from './remove-package.tsx';

export default function PackagesScreen({ hash }: { readonly hash?: string | undefined }) {
  return (
    <div key={hash ?? ''} className="h-full overflow-auto [scrollbar-gutter:stable] bg-surface">
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
  const { data, error } = usePackageContents();
  const { packages, damaged = [] } = data ?? {};
  return (
    <>
      <h1 className="text-xl font-semibold">{t('rail.packages')}</h1>
      <p className="mt-1 max-w-xl text-ink-faint">{t('packages.text')}</p>
      <div className="mt-6 flex flex-col gap-6">
        <ErrorNote issue={error} />
        <DamagedPackages damaged={damaged} />
        {packages && packages.length > 0 ? (
          <Rows label={t('rail.packages')}>
            {packages.map((shown) => (
              <PackageRow key={shown.package.hash} shown={shown} />
            ))}
          </Rows>
        ) : undefined}
        {packages?.length === 0 && damaged.length === 0 ? (
          <div className="flex items-center gap-3 rounded-lg bg-sunken p-4">
            <Boxes className="size-5 shrink-0 text-ink-faint" />
            <div>
              <p className="font-medium">{t('packages.empty')}</p>
              <p className="text-ink-faint">{t('packages.emptyText')}</p>
            </div>
          </div>
        ) : undefined}
        {packages || error ? (
          <>
            <section>
              <h2 className="mb-2.5 text-lg font-semibold">{t('packages.bringIn')}</h2>
              <ImportPackage />
            </section>
            <ExampleList />
          </>
        ) : (
          <Skeleton className="h-64" />
        )}
      </div>
    </>
  );
}

function PackageRow({ shown }: { readonly shown: ShownPackage }) {
  const { t } = useTranslation();
  const { package: pkg, agents, workflows } = shown;
  const { hash, name, version, description } = pkg;
  return (
    <li>
      <button
        type="button"
        data-list-item
        className={ROW_BUTTON}
        onClick={() => navigate({ name: 'packages', hash })}
      >
        <Boxes className="size-4 shrink-0 text-ink-faint" />
        <span className="min-w-0 grow">
          <span className="flex flex-wrap items-baseline gap-x-2">
            <span className="font-medium wrap-anywhere">{toShownLine(name)}</span>
            <span className="text-sm text-ink-faint tabular-nums">{toShownLine(version)}</span>
          </span>
          {description ? (
            <span className="line-clamp-2 text-sm text-ink-faint">{toShownLine(description)}</span>
          ) : undefined}
          <span className="mt-0.5 flex flex-wrap gap-x-3 text-sm text-ink-soft">
            <span>{t('packages.agents', { count: agents.length })}</span>
            <span>{t('packages.workflows', { count: workflows.length })}</span>
            <code className="font-mono text-ink-faint">{hash.slice(0, 12)}</code>
          </span>
        </span>
        <ChevronRight className="size-4 shrink-0 text-ink-faint" />
      </button>
    </li>
  );
}

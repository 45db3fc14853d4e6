/** Installed packages that cannot be read: which, why, and what to do. The others keep working. */
import type { DamagedPackage } from '../api/queries.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { ErrorNote } from '../ui/errors/error-note.tsx';
import { toShownLine } from '../ui/sanitize-text.ts';
import { RemovePackage } from './remove-package.tsx';

export function DamagedPackages({ damaged }: { readonly damaged: readonly DamagedPackage[] }) {
  const { t } = useTranslation();
  return damaged.map(({ package: { hash, name, version }, issue }) => (
    <ErrorNote
      key={hash}
      issue={issue}
      level="warning"
      title={t('packages.damaged', { name: `${toShownLine(name)} ${toShownLine(version)}` })}
      advice={t('packages.damagedAdvice')}
      actions={<RemovePackage hash={hash} name={toShownLine(name)} />}
    />
  ));
}

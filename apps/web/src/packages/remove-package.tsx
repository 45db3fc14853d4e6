/** Removes a package, after showing what uses it. */
import '../i18n/package-texts.ts';
import { useQueryClient } from '@tanstack/react-query';
import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useApi } from '../api/api-context.tsx';
import { type DamagedPackage, KEYS, type PackageUsers } from '../api/queries.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { navigate } from '../navigation/router.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/errors/error-note.tsx';
import { AlertDialog } from '../ui/overlays/alert-dialog.tsx';
import { useToasts } from '../ui/overlays/toast-store.ts';
import { toShownLine } from '../ui/sanitize-text.ts';
import { useAction } from '../ui/use-action.ts';

interface RemovePackageProps {
  readonly hash: string;
  readonly name: string;
}

export function RemovePackage({ hash, name }: RemovePackageProps) {
  const { t } = useTranslation();
  const client = useApi();
  const queries = useQueryClient();
  const [users, setUsers] = useState<PackageUsers>();
  const ask = useAction(async () => setUsers(await client.packages.users({ hash })));
  const remove = useAction(async (force: boolean) => {
    setUsers(undefined);
    await client.packages.remove({ hash, query: force ? { force: 'true' } : {} });
    // Removed from the cache, so that the page that still shows it does not request it again.
    queries.removeQueries({ queryKey: KEYS.package(hash) });
    navigate({ name: 'packages' });
    await queries.invalidateQueries({ queryKey: KEYS.packages });
    useToasts.getState().show(t('packages.removed', { name }));
  });
  const isUsed = users !== undefined && users.runs + users.conversations > 0;
  return (
    <>
      <Button
        icon={<Trash2 className="size-4" />}
        isBusy={ask.isBusy || remove.isBusy}
        onClick={() => ask.run()}
      >
        {t('action.remove')}
      </Button>
      {(ask.issue ?? remove.issue) === undefined ? undefined : (
        <div className="w-full">
          <ErrorNote issue={ask.issue ?? remove.issue} />
        </div>
      )}
      <AlertDialog
        isOpen={users !== undefined}
        title={t('packages.removeTitle', { name })}
        confirmLabel={t(isUsed ? 'packages.removeAnyway' : 'action.remove')}
        onCancel={() => setUsers(undefined)}
        onConfirm={() => remove.run(isUsed)}
      >
        {users && isUsed ? <Missing users={users} /> : t('packages.removeText')}
      </AlertDialog>
    </>
  );
}

function Missing({ users: { runs, conversations, projects } }: { readonly users: PackageUsers }) {
  const { t } = useTranslation();
  return (
    <>
      <p>{t('packages.usedText')}</p>
      <ul className="mt-2 list-disc ps-5">
        {runs > 0 ? <li>{t('packages.usedRuns', { count: runs })}</li> : undefined}
        {conversations > 0 ? <li>{t('packages.usedConversations', { count: conversations })}</li> : undefined}
        {projects.length > 0 ? (
          <li>{t('packages.usedProjects', { names: projects.map(toShownLine).join(', ') })}</li>
        ) : undefined}
      </ul>
    </>
  );
}

/** Installed packages that cannot be read: which, why, and what to do. The others keep working. */
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

/** From looking at a package to working with it: in the project of last time, or where one is chosen. */
import { useProjects } from '../api/queries.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { navigate } from '../navigation/router.ts';
import { Button } from '../ui/button.tsx';

export function BeginWithPackage({ hash: packageHash }: { readonly hash: string }) {
  const { t } = useTranslation();
  const { data: projects, isPending } = useProjects();
  // The latest comes first.
  const last = projects?.find(({ exists }) => exists);
  return (
    <Button
      kind="primary"
      disabled={isPending}
      onClick={() =>
        navigate(last ? { name: 'project', projectId: last.projectId, packageHash } : { name: 'start' })
      }
    >
      {t('packages.begin')}
    </Button>
  );
}

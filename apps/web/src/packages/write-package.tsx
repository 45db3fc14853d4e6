/** Opens a package folder in the editor, or makes a new one. Not on team servers, whose folders nobody can open. */
import '../i18n/package-texts.ts';
import { BookOpen, FilePlus2, FolderPen } from 'lucide-react';
import { useState } from 'react';
import { useApi } from '../api/api-context.tsx';
import { useTranslation } from '../i18n/use-translation.ts';
import { navigate } from '../navigation/router.ts';
import { FolderDialog } from '../projects/folder-dialog.tsx';
import { folderNameOf } from '../projects/folder-names.ts';
import { useOffers } from '../state/team-server.ts';
import { Button } from '../ui/button.tsx';
import { useAction } from '../ui/use-action.ts';

export function WritePackage() {
  const { t } = useTranslation();
  const { authoring } = useApi();
  const [purpose, setPurpose] = useState<'edit' | 'package'>();
  const isOffered = useOffers('authoring.open');
  const choose = useAction(async (path: string) => {
    const name = folderNameOf(path) || path;
    const opened =
      purpose === 'package'
        ? await authoring.create({ body: { path, name: name.slice(0, 100) } })
        : await authoring.open({ body: { path } });
    navigate({ name: 'packages', folder: opened.path });
  });
  if (!isOffered) return undefined;
  return (
    <section aria-labelledby="write-package">
      <h2 id="write-package" className="mb-1 text-lg font-semibold">
        {t('packages.write')}
      </h2>
      <p className="mb-2.5 text-ink-faint">{t('packages.writeText')}</p>
      <div className="flex flex-wrap gap-2">
        <Button icon={<FolderPen className="size-4" />} onClick={() => setPurpose('edit')}>
          {t('packages.editFolder')}
        </Button>
        <Button icon={<FilePlus2 className="size-4" />} onClick={() => setPurpose('package')}>
          {t('packages.newPackage')}
        </Button>
        <Button
          kind="quiet"
          icon={<BookOpen className="size-4" />}
          onClick={() => navigate({ name: 'help', page: 'first-method' })}
        >
          {t('packages.guide')}
        </Button>
      </div>
      {purpose ? (
        <FolderDialog purpose={purpose} onClose={() => setPurpose(undefined)} onChoose={choose} />
      ) : undefined}
    </section>
  );
}

/** Opens a project file in a tab next to the timeline. */
import { FileText } from 'lucide-react';
import { useTranslation } from '../i18n/use-translation.ts';
import { openFile } from '../state/open-files.ts';
import { Button } from '../ui/button.tsx';

export function OpenFileButton({ projectId, path }: { readonly projectId: string; readonly path: string }) {
  const { t } = useTranslation();
  return (
    <Button size="sm" icon={<FileText className="size-3.5" />} onClick={() => openFile(projectId, path)}>
      {t('action.open')}
    </Button>
  );
}

/** Menu items that export one text file of a run: as a PDF, which the page prints, or as a Word file. */
import { FileDown, Printer } from 'lucide-react';
import { useApi } from '../api/api-context.tsx';
import { saveResponse } from '../api/save-response.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { printDocument } from '../state/printing.ts';
import { type MenuItem, menuItem } from '../ui/overlays/menu.tsx';
import { toShownLine } from '../ui/sanitize-text.ts';
import { useAction } from '../ui/use-action.ts';

interface ExportedFile {
  readonly projectId: string;
  /** The run, or the conversation, beside which it is shown; a Word file needs one. */
  readonly workId: string | undefined;
  /** A mount path. */
  readonly path: string;
}

export function useDocumentExports({ projectId, workId, path }: ExportedFile) {
  const { t } = useTranslation();
  const client = useApi();
  const slash = path.lastIndexOf('/');
  const file = path.slice(slash + 1);
  const name = file.replace(/\.\w+$/, '');
  const shown = { name: toShownLine(file) };
  const { run, issue } = useAction(async (format: 'pdf' | 'docx') => {
    if (format === 'docx') {
      const response = await client.works.exportArtifact({ workId: workId ?? '', query: { path, format } });
      await saveResponse(response, `${name}.docx`);
      return;
    }
    const content = await client.files.read({ projectId, query: { path } });
    const text = !content.isTooLarge && content.kind === 'text' ? content.text : '';
    printDocument({ projectId, folder: path.slice(0, slash), title: name, text });
  });
  const items: readonly (MenuItem | false)[] = /\.(?:md|markdown)$/i.test(path)
    ? [
        menuItem('file-pdf', Printer, t('inspector.export.filePdf', shown), () => run('pdf')),
        workId !== undefined &&
          menuItem('file-docx', FileDown, t('inspector.export.fileDocx', shown), () => run('docx')),
      ]
    : [];
  return { issue, items };
}

/** Exports: the lines of a log, a run as one file, and its hand-over on paper. */
import type { ApiClient } from '@crewagent/protocol/api/client';
import type { RunEvent } from '@crewagent/protocol/events';
import { detectLanguage, type Language } from '@crewagent/protocol/languages';
import type { Story } from '@crewagent/protocol/story/story';
import { FileArchive, FileCode2, FileDown, FileJson2, FileText, Printer } from 'lucide-react';
import { useApi } from '../../../api/api-context.tsx';
import { saveBlob, saveResponse } from '../../../api/save-response.ts';
import { useTranslation } from '../../../i18n/use-translation.ts';
import { useExportedBundle } from '../../../navigation/opened-bundle.ts';
import { printDocument } from '../../../state/printing.ts';
import { useOffers } from '../../../state/team-server.ts';
import { menuItem } from '../../../ui/overlays/menu.tsx';
import { useAction } from '../../../ui/use-action.ts';
import { PAGE_EVENTS } from './use-log.ts';

const RUN_FORMATS = ['pdf', 'docx', 'html', 'md', 'json'] as const;
type RunFormat = (typeof RUN_FORMATS)[number];

/** `projectId`: of the images in the result that is printed. */
export function useExports(projectId: string, { runId: workId, workflow }: Readonly<Story>) {
  const { t, i18n } = useTranslation();
  const client = useApi();
  const language = detectLanguage([i18n.language]);
  const { run, issue } = useAction(async (format: RunFormat | 'jsonl') => {
    if (format === 'jsonl') return exportLog(client, workId);
    if (format !== 'pdf') return exportRun(client, workId, { format, language });
    const response = await client.works.exportFile({ workId, query: { format: 'handover', language } });
    const text = await response.text();
    printDocument({ projectId, folder: '@project', title: workflow?.title ?? workId, text });
  });
  const formats = [...(workflow ? RUN_FORMATS : []), 'jsonl'] as const;
  const hasBundles = useOffers('bundles.export');
  const items = formats.map((format) =>
    menuItem(`export-${format}`, ICONS[format], t(`inspector.export.${format}`), () => run(format)),
  );
  const bundle = menuItem('export-bundle', FileArchive, t('inspector.export.bundle'), () =>
    useExportedBundle.setState({ workId }),
  );
  return { issue, items: hasBundles ? [...items, bundle] : items };
}

async function exportRun(
  { works }: ApiClient,
  workId: string,
  query: { readonly format: Exclude<RunFormat, 'pdf'>; readonly language: Language },
): Promise<void> {
  const response = await works.exportFile({ workId, query });
  await saveResponse(response, `run-${workId}.${query.format}`);
}

async function exportLog({ works }: ApiClient, workId: string): Promise<void> {
  const lines: string[] = [];
  let page: readonly RunEvent[];
  let after = 0;
  do {
    const query = { after: String(after), limit: String(PAGE_EVENTS) };
    page = (await works.log({ workId, query })).events;
    lines.push(...page.map((event) => `${JSON.stringify(event)}\n`));
    after = page.at(-1)?.seq ?? after;
  } while (page.length === PAGE_EVENTS);
  saveBlob(new Blob(lines, { type: 'application/jsonl' }), `log-${workId}.jsonl`);
}

const ICONS = {
  pdf: Printer,
  docx: FileDown,
  md: FileText,
  html: FileCode2,
  json: FileJson2,
  jsonl: FileJson2,
} as const;

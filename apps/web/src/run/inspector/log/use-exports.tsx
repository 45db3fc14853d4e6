/** Exports: the lines of a log, and a run as one file. */
import type { ApiClient } from '@crewagent/protocol/api/client';
import type { RunEvent } from '@crewagent/protocol/events';
import { FileCode2, FileJson2, FileText } from 'lucide-react';
import { useApi } from '../../../api/api-context.tsx';
import { saveBlob, saveResponse } from '../../../api/save-response.ts';
import { useTranslation } from '../../../i18n/use-translation.ts';
import type { ShownStory } from '../../../state/conversation-store.ts';
import { menuItem } from '../../../ui/overlays/menu.tsx';
import { useAction } from '../../../ui/use-action.ts';
import { PAGE_EVENTS } from './use-log.ts';

const RUN_FORMATS = ['md', 'html', 'json'] as const;
type RunFormat = (typeof RUN_FORMATS)[number];

export function useExports({ runId: workId, workflow }: ShownStory) {
  const { t } = useTranslation();
  const client = useApi();
  const { run, issue } = useAction((format: RunFormat | 'jsonl') =>
    format === 'jsonl' ? exportLog(client, workId) : exportRun(client, workId, format),
  );
  const formats = [...(workflow ? RUN_FORMATS : []), 'jsonl'] as const;
  return {
    issue,
    items: formats.map((format) =>
      menuItem(`export-${format}`, ICONS[format], t(`inspector.export.${format}`), () => run(format)),
    ),
  };
}

async function exportRun({ works }: ApiClient, workId: string, format: RunFormat): Promise<void> {
  const response = await works.exportFile({ workId, query: { format } });
  await saveResponse(response, `run-${workId}.${format}`);
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

const ICONS = { md: FileText, html: FileCode2, json: FileJson2, jsonl: FileJson2 } as const;

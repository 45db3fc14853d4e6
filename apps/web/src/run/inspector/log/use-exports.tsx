/** A run as one file to keep or hand on; a talk as the lines of its log. */
import type { ApiClient } from '@crewagent/protocol/api/client';
import type { RunEvent } from '@crewagent/protocol/events';
import { FileCode2, FileJson2, FileText } from 'lucide-react';
import { useApi } from '../../../api/api-context.tsx';
import { saveBlob, saveResponse } from '../../../api/save-response.ts';
import { useTranslation } from '../../../i18n/use-translation.ts';
import type { Subject } from '../../../state/subject.ts';
import { callsFor } from '../../../state/subject-calls.ts';
import type { MenuItem } from '../../../ui/overlays/menu.tsx';
import { useAction } from '../../../ui/use-action.ts';
import { PAGE_EVENTS } from './log-pages.ts';

const FORMATS = ['md', 'html', 'json'] as const;
type Format = (typeof FORMATS)[number];

export interface Exports {
  readonly items: readonly Exclude<MenuItem, 'separator'>[];
  readonly fault: Error | undefined;
}

export function useExports(subject: Subject): Exports {
  const { t } = useTranslation();
  const client = useApi();
  const { run, fault } = useAction((format: Format | 'jsonl') =>
    subject.kind === 'run' && format !== 'jsonl'
      ? exportRun(client, subject.runId, format)
      : exportLog(client, subject),
  );
  const formats = subject.kind === 'run' ? FORMATS : (['jsonl'] as const);
  return {
    fault,
    items: formats.map((format) => ({
      id: `export-${format}`,
      label: t(`inspector.export.${format}`),
      icon: ICONS[format],
      onChoose: () => run(format),
    })),
  };
}

async function exportRun({ runs }: ApiClient, runId: string, format: Format): Promise<void> {
  const response = await runs.exportFile({ runId, query: { format } });
  await saveResponse(response, `run-${runId}.${format}`);
}

async function exportLog(client: ApiClient, subject: Subject): Promise<void> {
  const { log } = callsFor(client, subject);
  const lines: string[] = [];
  let page: readonly RunEvent[];
  let after = 0;
  do {
    page = await log(after, PAGE_EVENTS);
    lines.push(...page.map((event) => `${JSON.stringify(event)}\n`));
    after = page.at(-1)?.seq ?? after;
  } while (page.length === PAGE_EVENTS);
  const id = subject.kind === 'run' ? subject.runId : subject.conversationId;
  saveBlob(new Blob(lines, { type: 'application/jsonl' }), `conversation-${id}.jsonl`);
}

const ICONS = {
  md: <FileText aria-hidden="true" />,
  html: <FileCode2 aria-hidden="true" />,
  json: <FileJson2 aria-hidden="true" />,
  jsonl: <FileJson2 aria-hidden="true" />,
} as const;

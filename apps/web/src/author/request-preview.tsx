/** What a model would be sent at a step, part by part, while its text is typed. Nothing is sent. */
import type { AuthorNode, AuthorWorkflow } from '@crewagent/protocol/author';
import { useMemo, useState } from 'react';
import { LIVE, useApiQuery } from '../api/api-context.tsx';
import { formatCompact, formatNumber } from '../i18n/format.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { RequestLayers } from '../run/inspector/context/request-layers.tsx';
import { draftKey, usePackageDrafts } from '../state/package-drafts.ts';
import { ErrorNote } from '../ui/errors/error-note.tsx';
import { Fold } from '../ui/fold.tsx';
import { toShownLine } from '../ui/sanitize-text.ts';
import { Skeleton } from '../ui/skeleton.tsx';
import { useSettled } from '../ui/use-settled.ts';
import { CommittedLines } from './committed.tsx';
import { titleOf } from './node-dialogs.tsx';
import type { Author } from './use-author.ts';

export type Preview = ReturnType<typeof usePreview>;

/** What stays while the person goes from step to step. */
export function usePreview() {
  const [isOpen, setOpen] = useState(false);
  const [variables, setVariables] = useState('');
  return { isOpen, setOpen, variables, setVariables };
}

interface RequestPreviewProps {
  readonly author: Author;
  readonly workflow: AuthorWorkflow;
  /** Default: the first step. */
  readonly node: AuthorNode | undefined;
  readonly preview: Preview;
}

export function RequestPreview({ author, workflow, node, preview }: RequestPreviewProps) {
  const { t } = useTranslation();
  const { isOpen, setOpen } = preview;
  const nodeId = node?.id ?? workflow.entryNodeId;
  return (
    <Fold
      isOpen={isOpen}
      onToggle={() => setOpen(!isOpen)}
      summary={
        <span className="truncate text-sm">
          {t('author.preview', { title: toShownLine(titleOf(workflow, nodeId)) })}
        </span>
      }
    >
      {() => <Request {...{ author, workflow, nodeId, preview }} />}
    </Fold>
  );
}

/** Longer than for a search: each request validates the package. */
const TYPING_MS = 400;

function Request({
  author: { folderId, path, model },
  workflow,
  nodeId,
  preview: { variables, setVariables },
}: Omit<RequestPreviewProps, 'node'> & { readonly nodeId: string }) {
  const { t } = useTranslation();
  const drafts = usePackageDrafts((state) => state.drafts);
  const unsaved = useMemo(() => {
    const own = model.files.map((file) => [file.path, drafts[draftKey(path, file.path)]?.text] as const);
    return JSON.stringify(Object.fromEntries(own.filter(([, text]) => text !== undefined)));
  }, [drafts, model.files, path]);
  const typed = useSettled(unsaved, unsaved, TYPING_MS);
  const body = {
    ...(model.isMethod ? {} : { workflow: workflow.document }),
    nodeId,
    unsaved: JSON.parse(typed) as Record<string, string>,
    variables: toVariables(variables),
  };
  const { data, error, isPlaceholderData } = useApiQuery(
    ['author-prompt', folderId, body, model.files],
    ({ authoring }, call) => authoring.prompt({ folderId, body }, call),
    LIVE,
  );
  return (
    <div className="flex flex-col gap-3 py-1 pe-2">
      {error ? <ErrorNote issue={error} /> : undefined}
      {data ? (
        <div className={isPlaceholderData || error ? 'opacity-60' : undefined} aria-busy={isPlaceholderData}>
          <p role="status" className="mb-2 text-sm text-ink-soft tabular-nums">
            {t('context.used', {
              used: formatNumber(data.tokens),
              size: formatCompact(data.contextTokens),
              percent: formatNumber(Math.round((data.tokens / data.contextTokens) * 100)),
            })}
          </p>
          <RequestLayers request={data} />
        </div>
      ) : error ? undefined : (
        <Skeleton className="h-24" />
      )}
      <CommittedLines
        label={t('author.previewVariables')}
        hint={t('author.previewVariablesHint')}
        isMono
        value={variables}
        onCommit={setVariables}
      />
    </div>
  );
}

/** Lines as `name = value`. Pure. */
export function toVariables(text: string): Record<string, string> {
  const pairs = text.split('\n').flatMap((line): [string, string][] => {
    const [, name, value] = /^\s*([^=]+?)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    return name === undefined || value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries(pairs);
}

/** What a model is sent first at a node of a package, part by part. */
import '../i18n/package-texts.ts';
import { useState } from 'react';
import { usePrompt } from '../api/queries.ts';
import { formatCompact, formatNumber } from '../i18n/format.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { RequestLayers } from '../run/inspector/context/request-layers.tsx';
import { ErrorNote } from '../ui/errors/error-note.tsx';
import { Fold } from '../ui/fold.tsx';
import { Skeleton } from '../ui/skeleton.tsx';

interface NodePromptProps {
  readonly hash: string;
  readonly workflow: string;
  readonly nodeId: string;
}

export function NodePrompt(props: NodePromptProps) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  return (
    <Fold
      isOpen={isOpen}
      onToggle={() => setOpen(!isOpen)}
      summary={<span className="text-sm">{t('packages.prompt')}</span>}
    >
      {() => <Prompt {...props} />}
    </Fold>
  );
}

function Prompt({ hash, workflow, nodeId }: NodePromptProps) {
  const { t } = useTranslation();
  const { data, error } = usePrompt(hash, workflow, nodeId);
  if (!data) return error ? <ErrorNote issue={error} /> : <Skeleton className="h-24" />;
  const { tokens, contextTokens } = data;
  return (
    <div className="flex flex-col gap-3 py-1">
      <p className="text-sm text-ink-soft tabular-nums">
        {t('context.used', {
          used: formatNumber(tokens),
          size: formatCompact(contextTokens),
          percent: formatNumber(Math.round((tokens / contextTokens) * 100)),
        })}
      </p>
      <p className="text-xs text-ink-faint">{t('packages.promptText')}</p>
      <RequestLayers request={data} />
    </div>
  );
}

/** The status of a node as a named icon; never by colour alone. */
import { Ban, Circle, CircleCheck, CircleDot, CircleMinus } from 'lucide-react';
import { Fragment, type ReactNode } from 'react';
import { useTranslation } from '../../../i18n/use-translation.ts';
import { AgentName } from '../../agent-name.tsx';
import type { ProgressNode } from '../to-progress.ts';

export function NodeMark({ node: { progress, isRefused } }: { readonly node: ProgressNode }) {
  const { t } = useTranslation();
  if (isRefused && progress === 'ahead') {
    return <Ban aria-label={t('progress.refused')} className="size-4 shrink-0 text-warn" />;
  }
  switch (progress) {
    case 'done':
      return <CircleCheck aria-label={t('progress.done')} className="size-4 shrink-0 text-ok" />;
    case 'current':
      return <CircleDot aria-label={t('progress.current')} className="size-4 shrink-0 text-accent-text" />;
    case 'ahead':
      return <Circle aria-label={t('progress.ahead')} className="size-4 shrink-0 text-ink-faint" />;
    case 'notNeeded':
      return <CircleMinus aria-label={t('progress.notNeeded')} className="size-4 shrink-0 text-ink-faint" />;
  }
}

interface NodeWhoProps {
  readonly node: Pick<ProgressNode, 'type' | 'agentId'>;
  readonly packageHash: string | undefined;
  readonly extra: readonly string[];
  readonly hasTitle?: boolean;
}

/** Type and agent of a node with further labels, in one line. */
export function NodeWho({ node, packageHash, extra, hasTitle = false }: NodeWhoProps) {
  const { t } = useTranslation();
  const { type, agentId } = node;
  const parts: readonly ReactNode[] = [
    // The type "step" is the default and not shown.
    ...(type === 'step' ? [] : [t(`nodeType.${type}`)]),
    ...(agentId
      ? [<AgentName key="agent" packageHash={packageHash} agentId={agentId} hasTitle={hasTitle} />]
      : []),
    ...extra,
  ];
  return parts.map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts have no other key
    <Fragment key={index}>
      {index > 0 ? ' · ' : ''}
      {part}
    </Fragment>
  ));
}

/** The marks of a node in lists and graphs: its status, and who works on it. */
import { Ban, Circle, CircleCheck, CircleDot, CircleMinus, Flag } from 'lucide-react';
import { Fragment, type ReactNode } from 'react';
import { useTranslation } from '../../../i18n/use-translation.ts';
import { AgentName } from '../../agent-name.tsx';
import type { ProgressNode } from '../to-progress.ts';

/** The status of a node as a named icon; never by colour alone. */
export function NodeMark({ node }: { readonly node: ProgressNode }) {
  const { t } = useTranslation();
  const { progress, isRefused, isDraft } = node;
  if (isDraft && progress === 'current')
    return <Flag aria-label={t('progress.start')} className={`size-4 shrink-0 ${MARKS.current.ink}`} />;
  if (isDraft) return <Circle aria-hidden className={`size-4 shrink-0 ${MARKS.ahead.ink}`} />;
  const mark = isRefused && progress === 'ahead' ? 'refused' : progress;
  const { Icon, ink } = MARKS[mark];
  return <Icon aria-label={t(`progress.${mark}`)} className={`size-4 shrink-0 ${ink}`} />;
}

const MARKS = {
  refused: { Icon: Ban, ink: 'text-warn' },
  done: { Icon: CircleCheck, ink: 'text-ok' },
  current: { Icon: CircleDot, ink: 'text-accent-text' },
  ahead: { Icon: Circle, ink: 'text-ink-faint' },
  notNeeded: { Icon: CircleMinus, ink: 'text-ink-faint' },
} as const;

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

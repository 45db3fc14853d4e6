/** Type and agent of a node with further labels, in one line. */
import { Fragment, type ReactNode } from 'react';
import { useTranslation } from '../../../i18n/use-translation.ts';
import { AgentName } from '../../agent-name.tsx';
import type { ProgressNode } from '../to-progress.ts';

interface NodeWhoProps {
  readonly node: Pick<ProgressNode, 'type' | 'agentId'>;
  readonly packageHash: string | undefined;
  readonly extra: readonly string[];
  readonly hasTitle?: boolean;
}

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

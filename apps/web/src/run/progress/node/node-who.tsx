/** What kind of node it is, who works there, and more words on it, in one line. */
import { Fragment, type ReactNode } from 'react';
import { useTranslation } from '../../../i18n/use-translation.ts';
import { AgentName } from '../../agent-name.tsx';
import type { ProgressNode } from '../to-progress.ts';

interface NodeWhoProps {
  readonly node: Pick<ProgressNode, 'type' | 'agentId'>;
  readonly packageHash: string | undefined;
  readonly words: readonly string[];
  readonly hasTitle?: boolean;
}

export function NodeWho({ node, packageHash, words, hasTitle = false }: NodeWhoProps) {
  const { t } = useTranslation();
  const { type, agentId } = node;
  const parts: readonly ReactNode[] = [
    // That a step is a step goes without saying.
    ...(type === 'step' ? [] : [t(`nodeType.${type}`)]),
    ...(agentId
      ? [<AgentName key="agent" packageHash={packageHash} agentId={agentId} hasTitle={hasTitle} />]
      : []),
    ...words,
  ];
  return parts.map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts have no other name
    <Fragment key={index}>
      {index > 0 ? ' · ' : ''}
      {part}
    </Fragment>
  ));
}

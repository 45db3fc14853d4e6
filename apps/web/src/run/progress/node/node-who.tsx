/** What kind of node it is, who works there, and more words on it, in one line. */
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
  return (
    <>
      {t(`nodeType.${type}`)}
      {agentId ? (
        <>
          {' · '}
          <AgentName packageHash={packageHash} agentId={agentId} hasTitle={hasTitle} />
        </>
      ) : undefined}
      {words.map((word) => ` · ${word}`).join('')}
    </>
  );
}

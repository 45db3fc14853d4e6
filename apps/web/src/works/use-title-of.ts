/** What a conversation is called before anybody gave it a name. */
import { useTranslation } from 'react-i18next';
import type { Conversation } from '../state/work-list.ts';
import { toShownLine } from '../ui/foreign-text.ts';

export function useTitleOf(): (conversation: Pick<Conversation, 'title' | 'agent' | 'kind'>) => string {
  const { t } = useTranslation();
  return ({ title, agent, kind }) => toShownLine(title || agent?.name || '') || t(`works.kinds.${kind}`);
}

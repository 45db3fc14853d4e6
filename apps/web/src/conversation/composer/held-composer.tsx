/**
 * Replaces the composer while a question or approval is open: the dock above has the fields. Only a draft needs words: what comes
 * before it, and that it is kept. Not a disabled field, because that would still attract the eye.
 */
import type { PendingItem } from '@crewagent/protocol/story/items';
import type { ReactNode } from 'react';
import { useTranslation } from '../../i18n/use-translation.ts';
import { useDraft } from './use-draft.ts';

interface HeldComposerProps {
  readonly pending: PendingItem;
  readonly draftName: string;
  readonly pickers?: ReactNode;
}

export function HeldComposer({ pending, draftName, pickers }: HeldComposerProps) {
  const { t } = useTranslation();
  const { text } = useDraft(draftName);
  const first =
    pending.kind === 'question'
      ? t('composer.questionsFirst', { count: pending.questions.length })
      : t('composer.changeFirst');
  return (
    <div className="flex flex-wrap items-center gap-x-1.5 gap-y-0.5 ps-1.5">
      {pickers}
      {text.trim() === '' ? undefined : (
        <p className="ps-2 text-xs text-ink-faint">
          {first} {t('composer.isKept')}
        </p>
      )}
    </div>
  );
}

/** Where a run came to rest, where that does not go without saying. */
import type { ItemOf } from '@crewagent/protocol/timeline';
import { CircleCheck, CirclePause } from 'lucide-react';
import { useTranslation } from '../../i18n/use-translation.ts';
import { toShownText } from '../../ui/foreign-text.ts';
import { Note } from '../../ui/note.tsx';
import { useProblemWords } from './problem-words.ts';
import { QuietRow } from './quiet-row.tsx';

export function PhaseRow({ item }: { readonly item: ItemOf<'phase'> }) {
  const { t } = useTranslation();
  const code = item.reason?.code ?? '';
  const { title, advice } = useProblemWords(code);
  if (item.phase === 'Completed') {
    return (
      <p className="mt-4 mb-2 flex items-center gap-2 border-t pt-3 font-medium text-ok">
        <CircleCheck aria-hidden="true" className="size-4" />
        {t('phase.isComplete')}
      </p>
    );
  }
  if (code === 'stopped') return <QuietRow icon={<CirclePause aria-hidden="true" />}>{title}</QuietRow>;
  return (
    <div className="my-2">
      <Note
        level={item.phase === 'Failed' ? 'error' : 'warning'}
        title={title}
        advice={advice}
        details={{ label: t('text.code'), text: code }}
      >
        {toShownText(item.reason?.message ?? '') || undefined}
      </Note>
    </div>
  );
}

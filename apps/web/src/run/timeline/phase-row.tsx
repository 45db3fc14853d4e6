/** Where a run came to rest, where that does not go without saying. */
import type { ItemOf } from '@crewagent/protocol/timeline';
import { CircleCheck, CirclePause } from 'lucide-react';
import { navigate } from '../../app/router.ts';
import { useTranslation } from '../../i18n/use-translation.ts';
import { Button } from '../../ui/button.tsx';
import { toShownText } from '../../ui/foreign-text.ts';
import { Note } from '../../ui/note.tsx';
import { useProblemWords } from './problem-words.ts';
import { QuietRow } from './quiet-row.tsx';

interface PhaseRowProps {
  readonly item: ItemOf<'phase'>;
  /** Only where the run rests there now. */
  readonly onResume: (() => void) | undefined;
}

export function PhaseRow({ item, onResume }: PhaseRowProps) {
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
        actions={
          onResume && code.startsWith('LLM_') ? (
            <>
              <Button size="sm" onClick={onResume}>
                {t('fault.again')}
              </Button>
              <Button size="sm" kind="quiet" onClick={() => navigate({ name: 'settings', section: 'model' })}>
                {t('timeline.otherModel')}
              </Button>
            </>
          ) : undefined
        }
        details={{ label: t('text.code'), text: code }}
      >
        {toShownText(item.reason?.message ?? '') || undefined}
      </Note>
    </div>
  );
}

/** Where a run came to rest, where that does not go without saying. */
import { toStatus } from '@crewagent/protocol/status';
import type { ItemOf } from '@crewagent/protocol/timeline';
import { CircleCheck, CirclePause } from 'lucide-react';
import { useTranslation } from '../../../i18n/use-translation.ts';
import { useRoute } from '../../../navigation/router.ts';
import { useAskForModel } from '../../../state/asked-model.ts';
import { Button } from '../../../ui/button.tsx';
import { useProblemWords } from '../../../ui/errors/problem-words.ts';
import { Note } from '../../../ui/note.tsx';
import { QuietRow } from './quiet-row.tsx';

interface PhaseRowProps {
  readonly item: ItemOf<'phase'>;
  /** Only where the run rests there now. */
  readonly onResume: (() => void) | undefined;
}

export function PhaseRow({ item, onResume }: PhaseRowProps) {
  const { t } = useTranslation();
  const code = item.reason?.code ?? '';
  const isOfModel = code.startsWith('LLM_');
  const { title, why, whyLanguage, advice } = useProblemWords({ ...item.reason, code });
  const { kind } = toStatus(item);
  if (kind === 'completed') {
    return (
      <p className="mt-4 mb-2 flex items-center gap-2 border-t pt-3 font-medium text-ok">
        <CircleCheck aria-hidden="true" className="size-4" />
        {t('phase.isComplete')}
      </p>
    );
  }
  if (kind === 'stopped') return <QuietRow icon={<CirclePause aria-hidden="true" />}>{title}</QuietRow>;
  return (
    <div className="my-2">
      <Note
        level={kind === 'failed' ? 'error' : 'warning'}
        title={title}
        advice={advice}
        actions={
          onResume ? (
            <>
              <Button size="sm" onClick={onResume}>
                {t(isOfModel ? 'fault.again' : 'conversation.resume')}
              </Button>
              {isOfModel ? <OtherModel /> : undefined}
            </>
          ) : undefined
        }
        details={{ label: t('text.code'), text: code }}
      >
        {why === undefined ? undefined : <span lang={whyLanguage}>{why}</span>}
      </Note>
    </div>
  );
}

/** Chosen where one writes. A run that belongs to no conversation keeps its model until it is resumed with another. */
function OtherModel() {
  const { t } = useTranslation();
  const askForModel = useAskForModel();
  const route = useRoute();
  if (askForModel)
    return (
      <Button size="sm" kind="quiet" onClick={askForModel}>
        {t('timeline.otherModel')}
      </Button>
    );
  if (route.name !== 'work') return undefined;
  return (
    <p className="w-full text-ink-soft">
      {t('timeline.otherModelHow')}{' '}
      <code className="font-mono text-sm">{`crewagent resume ${route.workId} --model NAME`}</code>
    </p>
  );
}

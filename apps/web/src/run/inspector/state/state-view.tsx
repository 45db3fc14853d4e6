/** State tab of the inspector: a summary, the editable document and its history. */
import { useState } from 'react';
import { useTranslation } from '../../../i18n/use-translation.ts';
import type { ShownStory } from '../../../state/conversation-store.ts';
import { Fold } from '../../../ui/fold.tsx';
import { StateEditor } from './state-editor.tsx';
import { StateHistoryList } from './state-history-list.tsx';
import { StateSummary } from './state-summary.tsx';

interface StateViewProps {
  readonly projectId: string;
  readonly view: ShownStory;
}

export default function StateView({ projectId, view }: StateViewProps) {
  const { t } = useTranslation();
  const [hasHistory, setHistory] = useState(false);
  return (
    <div className="flex flex-col gap-4 p-3">
      <StateSummary projectId={projectId} view={view} />
      <StateEditor view={view} />
      <section aria-label={t('state.history')} className="border-t pt-2">
        <Fold
          isOpen={hasHistory}
          onToggle={() => setHistory(!hasHistory)}
          className="-ms-1.5"
          summary={<span className="font-medium text-ink">{t('state.history')}</span>}
        >
          {() => <StateHistoryList view={view} />}
        </Fold>
      </section>
    </div>
  );
}

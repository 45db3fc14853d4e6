/** What one may want next, where a workflow is complete: look at what it wrote, do it with a model, begin something else. */
import type { RunView } from '@crewagent/protocol/run-view';
import { useContext } from 'react';
import { useTranslation } from '../i18n/use-translation.ts';
import { changeLayout } from '../state/layout.ts';
import { Button } from '../ui/button.tsx';
import { InspectorContext } from './inspector-toggle.tsx';
import { navigate } from './router.ts';

interface AfterCompletionProps {
  readonly projectId: string;
  readonly active: Readonly<RunView>;
}

export function AfterCompletion({ projectId, active }: AfterCompletionProps) {
  const { t } = useTranslation();
  const { show } = useContext(InspectorContext);
  const isRehearsal = active.model?.kind === 'rehearsal';
  return (
    <section
      aria-label={t('after.label')}
      className="my-3 flex flex-col gap-3 rounded-xl border bg-canvas px-4 py-3.5"
    >
      <p className="text-ink-soft">{t(isRehearsal ? 'after.rehearsed' : 'after.done')}</p>
      <div className="flex flex-wrap gap-2">
        <Button
          onClick={() => {
            changeLayout(projectId, { inspectorTab: 'artifacts' });
            show();
          }}
        >
          {t('after.files')}
        </Button>
        {isRehearsal ? (
          <Button onClick={() => navigate({ name: 'settings', section: 'model' })}>{t('after.model')}</Button>
        ) : undefined}
        <Button kind="primary" onClick={() => navigate({ name: 'project', projectId })}>
          {t('after.begin')}
        </Button>
      </div>
    </section>
  );
}

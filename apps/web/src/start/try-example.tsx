/** Starts the example with one press, in the folder that is shown. */
import { Play } from 'lucide-react';
import { useModels } from '../api/queries.ts';
import { useWork } from '../api/work-context.tsx';
import { useTranslation } from '../i18n/use-translation.ts';
import { answeringModel } from '../models/answering-model.ts';
import { lastProjectId } from '../state/layout.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/errors/error-note.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { useAction } from '../ui/use-action.ts';
import { ExampleFolder, useExampleStart } from './example-start.tsx';

/** Shown until the first Work was started. */
export function TryExample() {
  const { t } = useTranslation();
  const { list } = useWork();
  const { data: models } = useModels();
  const { example, folder, isLoading, start } = useExampleStart();
  const begin = useAction(() => start());
  // While the first one starts, nothing moves.
  if (list && list.works.length > 0 && !begin.isBusy) return undefined;
  // On a first visit its room is there from the beginning: nothing moves when it comes.
  if ((!list || isLoading) && lastProjectId() === undefined)
    return <Skeleton className="h-34 rounded-xl @5xl:h-36" />;
  if (!list || !example || isLoading) return undefined;
  const isRehearsed = models ? answeringModel(models).kind === 'rehearsal' : false;
  return (
    <section aria-labelledby="try" className="flex flex-col gap-3 rounded-xl bg-accent-soft p-4 @5xl:p-5">
      <div className="flex flex-wrap items-center gap-x-6 gap-y-3">
        <div className="min-w-64 grow basis-0">
          <h2 id="try" className="text-lg font-semibold">
            {t('try.title')}
          </h2>
          <p className="mt-0.5 max-w-2xl text-ink-soft">
            {t(isRehearsed ? 'try.text' : 'try.textWithModel')}
          </p>
        </div>
        <Button
          kind="primary"
          icon={<Play className="size-4" />}
          isBusy={begin.isBusy}
          disabled={folder === undefined}
          onClick={() => begin.run()}
        >
          {t('try.go')}
        </Button>
      </div>
      <ExampleFolder folder={folder} />
      <ErrorNote issue={begin.issue} />
    </section>
  );
}

/** Starts an example with one press: a short one, or a method that the person chooses, in the folder that is shown. */
import { Play } from 'lucide-react';
import { useModels } from '../api/queries.ts';
import { useWork } from '../api/work-context.tsx';
import { useTranslation } from '../i18n/use-translation.ts';
import { answeringModel } from '../models/answering-model.ts';
import { lastProjectId } from '../state/layout.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/errors/error-note.tsx';
import { RadioLabels } from '../ui/forms/radio-labels.tsx';
import { toShownLine } from '../ui/sanitize-text.ts';
import { Skeleton } from '../ui/skeleton.tsx';
import { useAction } from '../ui/use-action.ts';
import { chooseExample, ExampleFolder, useExampleStart } from './example-start.tsx';

/** Shown until the first Work was started. */
export function TryExample() {
  const { t, i18n } = useTranslation();
  const { list } = useWork();
  const { data: models } = useModels();
  const { choices, example, folder, hasSamples, isLoading, start } = useExampleStart();
  const begin = useAction(() => start());
  // While the first one starts, nothing moves.
  if (list && list.works.length > 0 && !begin.isBusy) return undefined;
  // On a first visit its room is there from the beginning: nothing moves when it comes.
  if ((!list || isLoading) && lastProjectId() === undefined)
    return (
      <Skeleton className={`rounded-xl ${i18n.language === 'en' ? ROOM_IN_ENGLISH : ROOM_IN_CHINESE}`} />
    );
  if (!list || !example || isLoading) return undefined;
  const isRehearsed = models ? answeringModel(models).kind === 'rehearsal' : false;
  return (
    <section aria-labelledby="try" className="flex flex-col gap-3 rounded-xl bg-accent-soft p-4 @5xl:p-5">
      <div>
        <h2 id="try" className="text-lg font-semibold">
          {t('try.title')}
        </h2>
        <p className="mt-0.5 text-ink-soft">{t(isRehearsed ? 'try.text' : 'try.textWithModel')}</p>
      </div>
      {choices.length > 1 ? (
        <RadioLabels
          label={t('try.choices')}
          value={example.example}
          onChange={chooseExample}
          className="flex flex-wrap gap-1.5"
          options={choices.map(({ example: value, title, isMethod }) => ({
            value,
            look: CHIP,
            content: isMethod ? toShownLine(title) : t('try.short'),
          }))}
        />
      ) : undefined}
      {example.description === undefined ? undefined : (
        <p className="text-ink-soft">{toShownLine(example.description)}</p>
      )}
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
        <ExampleFolder folder={folder} hasSamples={hasSamples} />
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
      <ErrorNote issue={begin.issue} />
    </section>
  );
}

/** As high as the choices, whose names take more lines in English. */
const ROOM_IN_ENGLISH = 'h-132 @lg:h-96 @2xl:h-77 @3xl:h-72 @4xl:h-58 @5xl:h-60';
const ROOM_IN_CHINESE = 'h-101 @lg:h-77 @2xl:h-63 @3xl:h-58 @5xl:h-60';

const CHIP =
  'rounded-full border border-control bg-surface px-3 py-1 text-ink-soft pointer-coarse:py-2.5 hover:text-ink has-checked:border-accent has-checked:bg-accent has-checked:text-accent-ink';

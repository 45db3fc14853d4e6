/** Starts the example: one click installs it, asks for a folder if there is none, and starts its run. */
import { Play } from 'lucide-react';
import { useState } from 'react';
import { useApi } from '../api/api-context.tsx';
import { mustBeAccepted } from '../api/create-work-api.ts';
import { useExamples, useModels, useProjects } from '../api/queries.ts';
import { useWork } from '../api/work-context.tsx';
import { useTranslation } from '../i18n/use-translation.ts';
import { answeringModel } from '../models/answering-model.ts';
import { openInFront } from '../navigation/open-in-front.ts';
import { useInstalled } from '../packages/use-installed.ts';
import { LazyFolderDialog } from '../projects/relink-dialog.tsx';
import { useOpenProject } from '../projects/use-project-actions.ts';
import { lastProjectId } from '../state/layout.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/errors/error-note.tsx';
import { toShownLine } from '../ui/sanitize-text.ts';
import { Skeleton } from '../ui/skeleton.tsx';
import { useAction } from '../ui/use-action.ts';

/** Short, asks a few questions and writes a file, in each language; any other example if none of these is bundled. */
const FIRST_EXAMPLES: readonly string[] = ['hello-branch', 'hello-branch-zh'];

/** Shown until the first Work was started. */
export function TryExample() {
  const { t } = useTranslation();
  const { list } = useWork();
  const { data: examples, isPending: isLoading } = useExamples();
  const { data: projects } = useProjects();
  const { data: models } = useModels();
  const [isChoosing, setChoosing] = useState(false);
  const client = useApi();
  const { installToBegin } = useInstalled();
  const openProject = useOpenProject();
  const begin = useAction(async (example: string, path: string, isNew?: boolean) => {
    const projectId = await openProject(path, isNew);
    const packageHash = await installToBegin(example);
    const status = await client.works.create({ body: { projectId, kind: 'workflow', packageHash } });
    mustBeAccepted(status);
    openInFront({ name: 'work', projectId, workId: status.workId });
  });
  const example = examples?.find((known) => FIRST_EXAMPLES.includes(known.example)) ?? examples?.[0];
  const project = projects?.find(({ exists }) => exists);
  if (list && list.works.length > 0) return undefined;
  // On a first visit its room is there from the beginning: nothing moves when it comes.
  if ((!list || isLoading || !projects) && lastProjectId() === undefined)
    return <Skeleton className="h-26 rounded-xl" />;
  if (!list || !example || !projects) return undefined;
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
        <div className="flex flex-wrap gap-2">
          {project ? <Button onClick={() => setChoosing(true)}>{t('try.elsewhere')}</Button> : undefined}
          <Button
            kind="primary"
            icon={<Play className="size-4" />}
            isBusy={begin.isBusy}
            onClick={() => (project ? begin.run(example.example, project.path) : setChoosing(true))}
          >
            {project ? t('try.in', { name: toShownLine(project.name) }) : t('try.go')}
          </Button>
        </div>
      </div>
      <ErrorNote issue={isChoosing ? undefined : begin.issue} />
      {isChoosing ? (
        <LazyFolderDialog
          purpose="example"
          onClose={() => setChoosing(false)}
          onChoose={{
            ...begin,
            run: (path: string, isNew?: boolean) => begin.run(example.example, path, isNew),
          }}
        />
      ) : undefined}
    </section>
  );
}

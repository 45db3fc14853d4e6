/** After a rehearsal: starts the same workflow with a real model, at once if there is one, else as soon as one is connected. */
import type { Story } from '@crewagent/protocol/story/story';
import { Play } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { useApi } from '../api/api-context.tsx';
import { mustBeAccepted } from '../api/create-work-api.ts';
import { useProjects } from '../api/queries.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { useModelTest } from '../models/use-save-model.ts';
import { openInFront } from '../navigation/open-in-front.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/errors/error-note.tsx';
import { toShownLine } from '../ui/sanitize-text.ts';
import { useAction } from '../ui/use-action.ts';

interface RunForRealProps {
  readonly projectId: string;
  /** The run that was a rehearsal. */
  readonly rehearsed: Readonly<Story>;
  /** The model that is set up; undefined if there is none. */
  readonly model: string | undefined;
}

export function RunForReal({ projectId, rehearsed, model }: RunForRealProps) {
  const { t } = useTranslation();
  const { works } = useApi();
  const [isConnecting, setConnecting] = useState(false);
  const packageHash = rehearsed.package?.hash;
  const start = async (name: string): Promise<void> => {
    const status = await works.create({
      body: {
        projectId,
        kind: 'workflow',
        packageHash,
        workflow: rehearsed.workflow?.ref,
        model: name,
        input: firstInputOf(rehearsed),
      },
    });
    mustBeAccepted(status);
    openInFront({ name: 'work', projectId, workId: status.workId });
  };
  const begin = useAction(start);
  if (model === undefined)
    return (
      <>
        <Button kind="primary" onClick={() => setConnecting(true)}>
          {t('model.connect')}
        </Button>
        {isConnecting ? (
          <Suspense>
            <ConnectDialog projectId={projectId} onStart={start} onClose={() => setConnecting(false)} />
          </Suspense>
        ) : undefined}
      </>
    );
  return (
    <>
      <Button
        kind="primary"
        icon={<Play className="size-4" />}
        isBusy={begin.isBusy}
        onClick={() => begin.run(model)}
      >
        {t('after.runWith', { model: toShownLine(model) })}
      </Button>
      <Button
        kind="quiet"
        onClick={() => openInFront({ name: 'project', projectId, ...(packageHash && { packageHash }) })}
      >
        {t('after.changeSettings')}
      </Button>
      <ErrorNote issue={begin.issue} />
    </>
  );
}

/** What a person said before the first reply: instructions that belong to the start. */
function firstInputOf({ timeline, earlier }: Readonly<Story>): string | undefined {
  if (earlier) return undefined;
  const first = timeline.find(({ kind }) => kind === 'person' || kind === 'reply');
  return first?.kind === 'person' ? first.text : undefined;
}

interface ConnectDialogProps {
  readonly projectId: string;
  readonly onStart: (model: string) => Promise<void>;
  readonly onClose: () => void;
}

function ConnectDialog({ projectId, onStart, onClose }: ConnectDialogProps) {
  const { t } = useTranslation();
  const tester = useModelTest();
  const { data: projects } = useProjects();
  const project = projects?.find((known) => known.projectId === projectId);
  return (
    <ModelDialog
      model={undefined}
      tester={tester}
      next={{
        run: onStart,
        beside: project && (
          <span title={toShownLine(project.path)} className="truncate text-sm text-ink-faint">
            {t('after.runsIn', { name: toShownLine(project.name) })}
          </span>
        ),
      }}
      onClose={onClose}
    />
  );
}

const ModelDialog = lazy(async () => ({
  default: (await import('../models/model-dialog.tsx')).ModelDialog,
}));

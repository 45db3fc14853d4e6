/** Starts a Work: with an agent, a workflow, or just the model. */
import type { ShownProject } from '@crewagent/protocol/api/projects';
import { toInputsChange } from '@crewagent/protocol/input-answers';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useApi } from '../../api/api-context.tsx';
import { mustBeAccepted } from '../../api/create-work-api.ts';
import { usePackageContents } from '../../api/queries.ts';
import { SETTINGS_KEYS } from '../../api/settings-queries.ts';
import { useTranslation } from '../../i18n/use-translation.ts';
import { openInFront } from '../../navigation/open-in-front.ts';
import { DamagedPackages } from '../../packages/remove-package.tsx';
import { GoneFolder } from '../../projects/gone-folder.tsx';
import { ErrorNote } from '../../ui/errors/error-note.tsx';
import { toShownLine } from '../../ui/sanitize-text.ts';
import { Skeleton } from '../../ui/skeleton.tsx';
import { useAction } from '../../ui/use-action.ts';
import { firstKind, withFirst } from './first-choice.ts';
import { type Kind, KindChoice } from './kind-choice.tsx';
import { type Choice, KindPanel } from './kind-panel.tsx';
import { OPTIONS_ID, OptionsFold } from './options-fold.tsx';
import { MissingNote, StartBar } from './start-bar.tsx';
import { findLimitIssues, NO_OPTIONS, toStartRequest } from './start-options.ts';
import { useApproval } from './use-approval.ts';
import type { Answered } from './workflow-choice.tsx';

interface NewConversationProps {
  readonly projectId: string;
  /** Undefined while loading. */
  readonly project: ShownProject | undefined;
  /** The package from the route. */
  readonly packageHash?: string | undefined;
}

export function NewConversation({ projectId, project, packageHash }: NewConversationProps) {
  const { t } = useTranslation();
  return (
    <div className="h-full scroll-pb-20 overflow-auto [scrollbar-gutter:stable] bg-surface">
      <div className="mx-auto flex max-w-3xl flex-col gap-4 px-4 py-10 sm:px-6">
        <header>
          <h1 className="text-xl font-semibold">{t('new.title')}</h1>
          {project === undefined ? undefined : (
            <p className="mt-1 text-ink-faint wrap-anywhere">
              {t('new.where', { name: toShownLine(project.name) })}
            </p>
          )}
        </header>
        {project?.exists === false ? (
          <GoneFolder projectId={projectId} />
        ) : (
          <Choices projectId={projectId} packageHash={packageHash} />
        )}
      </div>
    </div>
  );
}

function Choices({ projectId, packageHash }: Omit<NewConversationProps, 'project'>) {
  const { t } = useTranslation();
  const client = useApi();
  const queries = useQueryClient();
  const { data, error } = usePackageContents();
  const [chosenKind, setKind] = useState<Kind>();
  const [options, setOptions] = useState(NO_OPTIONS);
  const [showsOptions, setShowsOptions] = useState(false);
  const begin = useAction(async (choice: Choice, answers?: Answered) => {
    if (answers) {
      const inputs = toInputsChange(answers.inputs, answers.values, projectId);
      await client.settings.update({ body: { inputs } });
      await queries.invalidateQueries({ queryKey: SETTINGS_KEYS.inputs });
    }
    const status = await client.works.create({
      body: { projectId, ...choice, ...toStartRequest(options) },
    });
    mustBeAccepted(status);
    openInFront({ name: 'work', projectId, workId: status.workId });
  });
  const { packages = [], damaged = [] } = data ?? {};
  const kind = chosenKind ?? firstKind(packages, packageHash);
  const { isToBeChosen } = useApproval(options, kind);
  if (!data && !error) return <Skeleton className="h-28" />;
  // An agent is started by a press on it, so its options come first; else they follow what is chosen.
  const optionsFold = (
    <OptionsFold
      options={options}
      kind={kind}
      isOpen={showsOptions}
      onToggle={() => setShowsOptions(!showsOptions)}
      onChange={setOptions}
    />
  );
  return (
    <>
      <KindChoice kind={kind} onChange={setKind} />
      {kind === 'agent' ? optionsFold : undefined}
      <ErrorNote issue={error} />
      <DamagedPackages damaged={damaged} />
      <KindPanel
        projectId={projectId}
        kind={kind}
        packages={withFirst(packages, packageHash)}
        isBusy={begin.isBusy}
        isDisabled={isToBeChosen || findLimitIssues(options).length > 0}
        onBegin={begin.run}
        toBar={(button) => (
          <>
            {kind === 'agent' ? undefined : optionsFold}
            <StartBar projectId={projectId} issue={begin.issue} onFixed={begin.forget}>
              {isToBeChosen ? (
                <>
                  {button}
                  <MissingNote targetId={OPTIONS_ID} onPress={() => setShowsOptions(true)}>
                    {t('new.chooseApproval')}
                  </MissingNote>
                </>
              ) : (
                button
              )}
            </StartBar>
          </>
        )}
      />
    </>
  );
}

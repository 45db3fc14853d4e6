/** Starts a Work: with an agent, a workflow, or just the model. */
import type { ShownProject } from '@crewagent/protocol/api/projects';
import { toInputsChange } from '@crewagent/protocol/input-answers';
import { useQueryClient } from '@tanstack/react-query';
import { MessageSquareText, UserRound, Workflow } from 'lucide-react';
import { useState } from 'react';
import { useApi } from '../../api/api-context.tsx';
import { mustBeAccepted } from '../../api/create-work-api.ts';
import { usePackageContents } from '../../api/queries.ts';
import { SETTINGS_KEYS } from '../../api/settings-queries.ts';
import { useTranslation } from '../../i18n/use-translation.ts';
import { openInFront } from '../../navigation/open-in-front.ts';
import { DamagedPackages } from '../../packages/remove-package.tsx';
import { GoneFolder, GoneFolderNote, isFolderGone } from '../../projects/gone-folder.tsx';
import { ErrorNote } from '../../ui/errors/error-note.tsx';
import { RadioLabels } from '../../ui/forms/radio-labels.tsx';
import { toShownLine } from '../../ui/sanitize-text.ts';
import { Skeleton } from '../../ui/skeleton.tsx';
import { useAction } from '../../ui/use-action.ts';
import { KindPanel } from './kind-panel.tsx';
import { OPTIONS_ID, OptionsFold } from './options-fold.tsx';
import {
  findLimitIssues,
  firstKind,
  KINDS,
  type Kind,
  NO_OPTIONS,
  toStartRequest,
  useApproval,
  withFirst,
} from './start-options.ts';
import { type Answered, type Choice, MissingNote } from './workflow-choice.tsx';

interface NewConversationProps {
  readonly projectId: string;
  /** Undefined while loading. */
  readonly project: ShownProject | undefined;
  /** The package from the route. */
  readonly packageHash?: string | undefined;
}

export default function NewConversation({ projectId, project, packageHash }: NewConversationProps) {
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
      <RadioLabels
        label={t('new.kind')}
        value={kind}
        onChange={setKind}
        className="grid gap-2 sm:grid-cols-3"
        options={KINDS.map((value) => {
          const Icon = ICONS[value];
          const [look, ink] = value === kind ? CHOSEN : NOT_CHOSEN;
          return {
            value,
            look: `flex gap-3 rounded-lg border px-3.5 py-3 transition-colors duration-(--quick) has-focus-visible:outline-offset-2 ${look}`,
            content: (
              <>
                <Icon className={`mt-0.5 size-4 shrink-0 ${ink}`} />
                <span className="min-w-0">
                  <span className="block font-medium">{t(`works.kinds.${value}`)}</span>
                  <span className="block text-sm text-ink-soft">{t(`new.kindText.${value}`)}</span>
                </span>
              </>
            ),
          };
        })}
      />
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
            {begin.issue || button || isToBeChosen ? (
              // Stays visible below the options.
              <div className="sticky bottom-0 z-10 -mb-10 flex flex-col gap-3 border-t bg-surface py-3 max-sm:-mx-4 max-sm:px-4">
                {isFolderGone(begin.issue) ? (
                  <GoneFolderNote projectId={projectId} onDone={begin.forget} />
                ) : (
                  <ErrorNote issue={begin.issue} />
                )}
                <div className="flex flex-wrap items-center gap-x-2 gap-y-1.5 empty:hidden">
                  {button}
                  {isToBeChosen ? (
                    <MissingNote targetId={OPTIONS_ID} onPress={() => setShowsOptions(true)}>
                      {t('new.chooseApproval')}
                    </MissingNote>
                  ) : undefined}
                </div>
              </div>
            ) : undefined}
          </>
        )}
      />
    </>
  );
}

const CHOSEN = ['border-accent-text bg-accent-soft', 'text-accent-text'] as const;
const NOT_CHOSEN = ['bg-surface hover:border-line-strong hover:bg-hover', 'text-ink-faint'] as const;
const ICONS = { agent: UserRound, workflow: Workflow, chat: MessageSquareText } as const;

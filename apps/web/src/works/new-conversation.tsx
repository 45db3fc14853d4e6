/** Whom to begin with: an agent, a workflow, or just the model. */
import type { ApiClient } from '@crewagent/protocol/api/client';
import { Boxes, MessageSquareText } from 'lucide-react';
import { useState } from 'react';
import { useApi } from '../api/api-context.tsx';
import { mustBeTaken } from '../api/create-conversation-api.ts';
import { usePackageContents } from '../api/queries.ts';
import type { PackageContents } from '../api/works-queries.ts';
import { navigate } from '../app/router.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { DamagedPackages } from '../packages/damaged-packages.tsx';
import { Button } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { FaultNote } from '../ui/fault-note.tsx';
import { toShownLine } from '../ui/foreign-text.ts';
import { Skeleton } from '../ui/skeleton.tsx';
import { useAction } from '../ui/use-action.ts';
import { AgentChoice } from './agent-choice.tsx';
import { FirstWords } from './first-words.tsx';
import { type Kind, KindChoice } from './kind-choice.tsx';
import { OptionsFold } from './options-fold.tsx';
import { findLimitFaults, NO_OPTIONS, toBeginning } from './start-options.ts';
import { WorkflowChoice } from './workflow-choice.tsx';

interface NewConversationProps {
  readonly projectId: string;
  readonly projectName: string | undefined;
}

type Request = Parameters<ApiClient['conversations']['create']>[0]['body'];
type Choice = Pick<Request, 'kind' | 'packageHash' | 'agent' | 'workflow' | 'input'>;

export function NewConversation({ projectId, projectName }: NewConversationProps) {
  const { t } = useTranslation();
  const client = useApi();
  const { data, error } = usePackageContents();
  const { packages, damaged = [] } = data ?? {};
  const [chosenKind, setKind] = useState<Kind>();
  const [options, setOptions] = useState(NO_OPTIONS);
  const begin = useAction(async (choice: Choice) => {
    const status = await client.conversations.create({
      body: { projectId, ...choice, ...toBeginning(options) },
    });
    mustBeTaken(status);
    navigate({ name: 'conversation', projectId, conversationId: status.conversationId });
  });
  const kind = chosenKind ?? firstKind(packages);
  const isDisabled = findLimitFaults(options).length > 0;
  return (
    <div className="h-full overflow-auto bg-surface">
      <div className="mx-auto flex max-w-3xl flex-col gap-4 px-4 py-10 sm:px-6">
        <header>
          <h1 className="text-xl font-semibold">{t('new.title')}</h1>
          {projectName === undefined ? undefined : (
            <p className="mt-1 text-ink-faint wrap-anywhere">
              {t('new.where', { name: toShownLine(projectName) })}
            </p>
          )}
        </header>
        {packages === undefined && !error ? (
          <Skeleton className="h-28" />
        ) : (
          <>
            <KindChoice kind={kind} onChange={setKind} />
            <OptionsFold options={options} onChange={setOptions} />
            <FaultNote fault={begin.fault ?? error} />
            <DamagedPackages damaged={damaged} />
            <KindPanel {...{ kind, packages, isDisabled }} isBusy={begin.isBusy} onBegin={begin.run} />
          </>
        )}
      </div>
    </div>
  );
}

/** What a package was brought in for, where there is one. */
function firstKind(packages: readonly PackageContents[] | undefined): Kind {
  if (packages?.some(({ agents }) => agents.some(({ menu }) => menu.length > 0))) return 'agent';
  return packages?.some(({ workflows }) => workflows.length > 0) ? 'workflow' : 'chat';
}

interface KindPanelProps {
  readonly kind: Kind;
  readonly packages: readonly PackageContents[] | undefined;
  readonly isBusy: boolean;
  readonly isDisabled: boolean;
  readonly onBegin: (choice: Choice) => void;
}

function KindPanel({ kind, packages = [], isBusy, isDisabled, onBegin }: KindPanelProps) {
  const { t } = useTranslation();
  const [words, setWords] = useState('');
  if (kind === 'chat') {
    return (
      <>
        <FirstWords text={words} hint={t('new.wordsForChat')} onChange={setWords} />
        <div>
          <Button
            kind="primary"
            isBusy={isBusy}
            disabled={isDisabled}
            icon={<MessageSquareText aria-hidden="true" className="size-3.5" />}
            onClick={() => onBegin({ kind, ...(words.trim() === '' ? {} : { input: words }) })}
          >
            {t('new.startChat')}
          </Button>
        </div>
      </>
    );
  }
  if (packages.length === 0) {
    return (
      <EmptyState
        icon={<Boxes />}
        title={t('new.noPackage')}
        action={
          <Button kind="primary" onClick={() => navigate({ name: 'packages' })}>
            {t('new.toPackages')}
          </Button>
        }
      >
        {t('new.noPackageText')}
      </EmptyState>
    );
  }
  return kind === 'agent' ? (
    <AgentChoice
      packages={packages}
      isBusy={isBusy || isDisabled}
      onBegin={(choice) => onBegin({ kind, ...choice })}
    />
  ) : (
    <WorkflowChoice
      {...{ packages, isBusy, isDisabled }}
      onBegin={(choice) => onBegin({ kind, ...choice })}
    />
  );
}

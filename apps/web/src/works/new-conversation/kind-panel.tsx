/** Options of a kind of Work, and the Start button. */
import type { ApiClient } from '@crewagent/protocol/api/client';
import { Boxes, MessageSquareText } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { PackageContents } from '../../api/works-queries.ts';
import { useTranslation } from '../../i18n/use-translation.ts';
import { navigate } from '../../navigation/router.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { AgentChoice } from './agent-choice.tsx';
import { FirstMessage } from './first-message.tsx';
import type { Kind } from './kind-choice.tsx';
import { type Answered, WorkflowChoice } from './workflow-choice.tsx';

type Request = Parameters<ApiClient['works']['create']>[0]['body'];
export type Choice = Pick<Request, 'kind' | 'packageHash' | 'agent' | 'workflow' | 'input' | 'documents'>;

interface KindPanelProps {
  readonly projectId: string;
  readonly kind: Kind;
  readonly packages: readonly PackageContents[];
  readonly isBusy: boolean;
  readonly isDisabled: boolean;
  readonly onBegin: (choice: Choice, answers?: Answered) => void;
  /** Puts the button that begins it where it stays in sight. */
  readonly toBar: (button?: ReactNode) => ReactNode;
}

export function KindPanel(props: KindPanelProps) {
  const { projectId, kind, packages, isBusy, isDisabled, onBegin, toBar } = props;
  const { t } = useTranslation();
  const [message, setMessage] = useState('');
  if (kind === 'chat') {
    return (
      <>
        <FirstMessage text={message} hint={t('new.wordsForChat')} onChange={setMessage} />
        {toBar(
          <Button
            kind="primary"
            isBusy={isBusy}
            disabled={isDisabled}
            icon={<MessageSquareText className="size-3.5" />}
            onClick={() => onBegin({ kind, ...(message.trim() === '' ? {} : { input: message }) })}
          >
            {t('new.startChat')}
          </Button>,
        )}
      </>
    );
  }
  if (packages.length === 0) return <NoPackage />;
  return kind === 'agent' ? (
    <>
      <AgentChoice
        packages={packages}
        isBusy={isBusy || isDisabled}
        onBegin={(choice) => onBegin({ kind, ...choice })}
      />
      {toBar()}
    </>
  ) : (
    <WorkflowChoice
      {...{ projectId, packages, isBusy, isDisabled, toBar }}
      onBegin={(choice, answers) => onBegin({ kind, ...choice }, answers)}
    />
  );
}

function NoPackage() {
  const { t } = useTranslation();
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

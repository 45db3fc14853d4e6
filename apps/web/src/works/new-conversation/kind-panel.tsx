/** Options of a kind of Work, and the Start button. */
import type { ApiClient } from '@crewagent/protocol/api/client';
import { Boxes, MessageSquareText } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { PackageContents } from '../../api/works-queries.ts';
import { useTranslation } from '../../i18n/use-translation.ts';
import { navigate } from '../../navigation/router.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Field } from '../../ui/forms/field.tsx';
import { Textarea } from '../../ui/forms/textarea.tsx';
import { toShownLine, toShownProse } from '../../ui/sanitize-text.ts';
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

interface AgentChoiceProps {
  readonly packages: readonly PackageContents[];
  readonly isBusy: boolean;
  readonly onBegin: (choice: { readonly packageHash: string; readonly agent: string }) => void;
}

/** Agents of all packages, each with its description and menu. A click starts. */
function AgentChoice({ packages, isBusy, onBegin }: AgentChoiceProps) {
  const { t } = useTranslation();
  return packages
    .filter(({ agents }) => agents.length > 0)
    .map(({ package: { hash, name, version }, agents }) => (
      <section key={hash} aria-label={t('new.of', { name: toShownLine(name) })}>
        <h2 className="mb-2 text-sm text-ink-faint wrap-anywhere">
          {toShownLine(name)} {toShownLine(version)}
        </h2>
        <ul className="flex flex-col gap-2">
          {agents.map((agent) => (
            <li key={agent.id}>
              <button
                type="button"
                disabled={isBusy}
                onClick={() => onBegin({ packageHash: hash, agent: agent.id })}
                className="flex w-full gap-3.5 rounded-lg border bg-surface px-3.5 py-3 text-start transition-colors duration-(--quick) enabled:hover:border-line-strong enabled:hover:bg-hover disabled:opacity-60"
              >
                <span
                  aria-hidden="true"
                  className="flex size-9 shrink-0 items-center justify-center overflow-hidden rounded-full bg-accent-soft text-lg"
                >
                  {toShownLine(agent.icon).slice(0, 4)}
                </span>
                <span className="min-w-0 grow">
                  <span className="flex flex-wrap items-baseline gap-x-2">
                    <span className="font-semibold wrap-anywhere">{toShownLine(agent.name)}</span>
                    <span className="text-ink-faint wrap-anywhere">{toShownLine(agent.title)}</span>
                  </span>
                  {agent.description ? (
                    <span className="mt-0.5 block text-ink-soft wrap-anywhere">
                      {toShownProse(agent.description)}
                    </span>
                  ) : undefined}
                  <Offers menu={agent.menu} />
                </span>
              </button>
            </li>
          ))}
        </ul>
      </section>
    ));
}

type Agent = PackageContents['agents'][number];

const MAX_OFFERS = 8;

/** The menu as its author wrote it; which items are available is only known in the conversation. */
function Offers({ menu }: Pick<Agent, 'menu'>) {
  const { t } = useTranslation();
  if (menu.length === 0) return undefined;
  return (
    <span className="mt-2 flex flex-wrap gap-1.5">
      {menu.slice(0, MAX_OFFERS).map(({ trigger, description }, index) => (
        <span
          // biome-ignore lint/suspicious/noArrayIndexKey: a menu is immutable
          key={index}
          title={toShownLine(description)}
          className="max-w-full truncate rounded-sm bg-hover px-1.5 py-0.5 text-xs text-ink-soft"
        >
          {toShownLine(trigger ?? description)}
        </span>
      ))}
      {menu.length > MAX_OFFERS ? (
        <span className="py-0.5 text-xs text-ink-faint">
          {t('new.moreOffers', { count: menu.length - MAX_OFFERS })}
        </span>
      ) : undefined}
    </span>
  );
}

interface FirstWordsProps {
  readonly text: string;
  readonly hint: string;
  readonly onChange: (text: string) => void;
}

/** The first message; may be empty. */
export function FirstMessage({ text, hint, onChange }: FirstWordsProps) {
  const { t } = useTranslation();
  return (
    <Field label={t('new.words')} hint={hint}>
      {(ids) => (
        <Textarea
          {...ids}
          rows={2}
          maxRows={10}
          value={text}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}

/** Options of a kind of Work, and the Start button. */
import { toPackageTitle } from '@crewagent/protocol/package-title';
import { Boxes, MessageSquareText } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from '../../i18n/use-translation.ts';
import { navigate } from '../../navigation/router.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { toShownLine, toShownProse } from '../../ui/sanitize-text.ts';
import type { Kind } from './start-options.ts';
import { FirstMessage, type StartProps, WorkflowChoice } from './workflow-choice.tsx';

interface KindPanelProps extends StartProps {
  readonly kind: Kind;
}

export function KindPanel({ kind, ...props }: KindPanelProps) {
  const { packages, isBusy, isDisabled, onBegin, toBar } = props;
  const { t } = useTranslation();
  const [message, setMessage] = useState('');
  if (kind === 'chat')
    return (
      <>
        <FirstMessage text={message} hint={t('new.wordsForChat')} onChange={setMessage} />
        {toBar(
          <Button
            kind="primary"
            isBusy={isBusy}
            disabled={isDisabled}
            icon={<MessageSquareText className="size-3.5" />}
            onClick={() => onBegin({ kind, input: message.trim() === '' ? undefined : message })}
          >
            {t('new.startChat')}
          </Button>,
        )}
      </>
    );
  if (packages.length === 0)
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
  return kind === 'agent' ? <AgentChoice {...props} /> : <WorkflowChoice {...props} />;
}

const MAX_OFFERS = 8;

/** Agents of all packages, each with its description and menu. A click starts. */
function AgentChoice({ packages, isBusy, isDisabled, onBegin, toBar }: StartProps) {
  const { t } = useTranslation();
  return (
    <>
      {packages
        .filter(({ agents }) => agents.length > 0)
        .map(({ package: { hash, name, title, version }, workflows, agents }) => (
          <section key={hash} aria-label={t('new.of', { name: toShownLine(name) })}>
            <h2 className="mb-2 text-sm text-ink-faint wrap-anywhere">
              {toShownLine(toPackageTitle({ name, title }, workflows))} {toShownLine(version)}
            </h2>
            <ul className="flex flex-col gap-2">
              {agents.map((agent) => (
                <li key={agent.id}>
                  <button
                    type="button"
                    disabled={isBusy || isDisabled}
                    onClick={() => onBegin({ kind: 'agent', packageHash: hash, agent: agent.id })}
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
                        {agent.title === agent.name ? undefined : (
                          <span className="text-ink-faint wrap-anywhere">{toShownLine(agent.title)}</span>
                        )}
                      </span>
                      {agent.description ? (
                        <span className="mt-0.5 block text-ink-soft wrap-anywhere">
                          {toShownProse(agent.description)}
                        </span>
                      ) : undefined}
                      {agent.menu.length > 0 ? (
                        // As its author wrote it; which items are available is only known in the conversation.
                        <span className="mt-2 flex flex-wrap gap-1.5">
                          {agent.menu.slice(0, MAX_OFFERS).map(({ trigger, description }, index) => (
                            <span
                              // biome-ignore lint/suspicious/noArrayIndexKey: a menu is immutable
                              key={index}
                              title={toShownLine(description)}
                              className="max-w-full truncate rounded-sm bg-hover px-1.5 py-0.5 text-xs text-ink-soft"
                            >
                              {toShownLine(trigger ?? description)}
                            </span>
                          ))}
                          {agent.menu.length > MAX_OFFERS ? (
                            <span className="py-0.5 text-xs text-ink-faint">
                              {t('new.moreOffers', { count: agent.menu.length - MAX_OFFERS })}
                            </span>
                          ) : undefined}
                        </span>
                      ) : undefined}
                    </span>
                  </button>
                </li>
              ))}
            </ul>
          </section>
        ))}
      {toBar()}
    </>
  );
}

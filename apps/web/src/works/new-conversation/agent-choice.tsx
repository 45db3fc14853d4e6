/** Agents of all packages, each with its description and menu. A click starts. */

import type { PackageContents } from '../../api/works-queries.ts';
import { useTranslation } from '../../i18n/use-translation.ts';
import { toShownLine, toShownProse } from '../../ui/sanitize-text.ts';

interface AgentChoiceProps {
  readonly packages: readonly PackageContents[];
  readonly isBusy: boolean;
  readonly onBegin: (choice: { readonly packageHash: string; readonly agent: string }) => void;
}

export function AgentChoice({ packages, isBusy, onBegin }: AgentChoiceProps) {
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

/** Agents of a package with their menus. */
import type { InspectedPackage } from '@crewagent/protocol/api/packages';
import { useTranslation } from '../i18n/use-translation.ts';
import { toShownLine, toShownText } from '../ui/sanitize-text.ts';

type Agent = NonNullable<InspectedPackage['contents']>['agents'][number];

export function AgentList({ agents }: { readonly agents: readonly Agent[] }) {
  const { t } = useTranslation();
  return (
    <section>
      <h2 className="mb-2 font-semibold">{t('packages.agents', { count: agents.length })}</h2>
      <ul aria-label={t('packages.agentList')} className="flex flex-col gap-2.5">
        {agents.map((agent) => (
          <AgentCard key={agent.id} agent={agent} />
        ))}
      </ul>
    </section>
  );
}

function AgentCard({ agent: { icon, name, title, description, menu } }: { readonly agent: Agent }) {
  const { t } = useTranslation();
  return (
    <li className="flex gap-3 rounded-lg border bg-surface p-3">
      <span
        aria-hidden="true"
        className="flex size-9 shrink-0 items-center justify-center overflow-hidden rounded-lg bg-sunken text-lg"
      >
        {toShownLine(icon)}
      </span>
      <div className="min-w-0 grow">
        <p className="wrap-anywhere">
          <span className="font-medium">{toShownLine(name)}</span>
          <span className="text-ink-faint"> · {toShownLine(title)}</span>
        </p>
        {description ? (
          <p className="mt-0.5 text-sm text-ink-soft wrap-anywhere">{toShownText(description)}</p>
        ) : undefined}
        {menu.length > 0 ? (
          <ol
            aria-label={t('packages.menuOf', { name: toShownLine(name) })}
            className="mt-2 flex flex-col gap-0.5 text-sm"
          >
            {menu.map(({ trigger, description: offered }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a menu is immutable, and its items may be equal
              <li key={index} className="flex gap-2">
                <span className="w-5 shrink-0 text-end text-ink-faint tabular-nums">{index + 1}</span>
                {trigger ? (
                  <code className="shrink-0 font-mono text-ink">{toShownLine(trigger)}</code>
                ) : undefined}
                <span className="min-w-0 text-ink-soft wrap-anywhere">{toShownLine(offered)}</span>
              </li>
            ))}
          </ol>
        ) : undefined}
      </div>
    </li>
  );
}

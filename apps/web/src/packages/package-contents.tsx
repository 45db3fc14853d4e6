/** What a package contains and needs, and what its validation found. */
import '../i18n/package-texts.ts';
import type { InspectedPackage } from '@crewagent/protocol/api/packages';
import type { Diagnostic } from '@crewagent/protocol/diagnostics';
import { CircleAlert, CircleCheck, FileText, Globe, ShieldCheck, TriangleAlert, Wrench } from 'lucide-react';
import type { ValidationReport } from '../api/queries.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { Badge } from '../ui/badge.tsx';
import { toShownLine, toShownText } from '../ui/sanitize-text.ts';
import { FindingText } from './finding-text.tsx';

type Agent = NonNullable<InspectedPackage['contents']>['agents'][number];

/** Agents of a package with their menus. */
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

type Contents = NonNullable<InspectedPackage['contents']>;

/** What a package needs: files, MCP tools, the network. Shown before anything in it runs. */
export function Needs({ contents }: { readonly contents: Pick<Contents, 'requiresNetwork' | 'agents'> }) {
  const { t } = useTranslation();
  const { requiresNetwork, agents } = contents;
  const readers = agents.filter(({ tools }) => tools.fs).map(({ name }) => toShownLine(name));
  const servers = [...new Set(agents.flatMap(({ tools }) => tools.servers))].map(toShownLine);
  const needs = [
    { Icon: FileText, text: readers.length > 0 && t('packages.needsFiles', { names: readers.join(', ') }) },
    { Icon: Wrench, text: servers.length > 0 && t('packages.needsServers', { names: servers.join(', ') }) },
    { Icon: Globe, text: requiresNetwork && t('packages.needsNetwork') },
  ].filter(({ text }) => text !== false);
  const nothing = { Icon: ShieldCheck, text: t('packages.needsNothing') };
  return (
    <section>
      <h2 className="mb-1.5 font-semibold">{t('packages.asksFor')}</h2>
      <ul aria-label={t('packages.asksFor')} className="flex flex-col gap-1.5">
        {(needs.length === 0 ? [nothing] : needs).map(({ Icon, text }) => (
          <li key={String(text)} className="flex items-start gap-2.5">
            <span aria-hidden="true" className="mt-0.5 text-ink-faint">
              <Icon className="size-4" />
            </span>
            <span className="min-w-0 wrap-anywhere">{text}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

type Report = Pick<ValidationReport, 'errors' | 'warnings'>;

/** Findings of a validation: errors first, then warnings, each with its location and fix. */
export function Findings({ report: { errors, warnings } }: { readonly report: Report }) {
  const { t } = useTranslation();
  return (
    <section className="flex flex-col gap-4">
      <h2 className="font-semibold">{t('packages.validation')}</h2>
      {errors.length + warnings.length === 0 ? (
        <p className="-mt-2 flex items-center gap-2 text-ok">
          <CircleCheck className="size-4" />
          {t('packages.noFindings')}
        </p>
      ) : undefined}
      <FindingGroup title={t('packages.errors', { count: errors.length })} findings={errors} isError />
      <FindingGroup title={t('packages.warnings', { count: warnings.length })} findings={warnings} />
    </section>
  );
}

interface FindingGroupProps {
  readonly title: string;
  readonly findings: readonly Diagnostic[];
  readonly isError?: boolean;
}

function FindingGroup({ title, findings, isError = false }: FindingGroupProps) {
  if (findings.length === 0) return undefined;
  const Icon = isError ? CircleAlert : TriangleAlert;
  return (
    <div>
      <h3 className={`mb-1.5 flex items-center gap-1.5 font-medium ${isError ? 'text-bad' : 'text-warn'}`}>
        <Icon className="size-4" />
        {title}
      </h3>
      <ul aria-label={title} className="divide-y divide-line rounded-lg border">
        {findings.map((finding, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: findings are immutable
          <FindingRow key={index} finding={finding} />
        ))}
      </ul>
    </div>
  );
}

function FindingRow({ finding }: { readonly finding: Diagnostic }) {
  const { t } = useTranslation();
  const { code, file, pointer, line } = finding;
  const place = [file, line === undefined ? undefined : `:${line}`, pointer ? ` ${pointer}` : undefined];
  return (
    <li className="flex flex-col gap-1 px-3 py-2.5">
      <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <code className="min-w-0 grow font-mono text-sm text-ink-soft wrap-anywhere">
          {toShownLine(place.filter(Boolean).join(''))}
        </code>
        <span title={code}>
          <Badge>{t(`finding.${code}`)}</Badge>
        </span>
      </p>
      <FindingText finding={finding} />
    </li>
  );
}

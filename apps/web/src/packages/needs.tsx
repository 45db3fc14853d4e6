/** What a package needs: files, MCP tools, the network. Shown before anything in it runs. */
import type { InspectedPackage } from '@crewagent/protocol/api/packages';
import { FileText, Globe, ShieldCheck, Wrench } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from '../i18n/use-translation.ts';
import { toShownLine } from '../ui/sanitize-text.ts';

type Contents = NonNullable<InspectedPackage['contents']>;

export function Needs({ contents }: { readonly contents: Pick<Contents, 'requiresNetwork' | 'agents'> }) {
  const { t } = useTranslation();
  const { requiresNetwork, agents } = contents;
  const readers = agents.filter(({ tools }) => tools.fs).map(({ name }) => toShownLine(name));
  const servers = [...new Set(agents.flatMap(({ tools }) => tools.servers))].map(toShownLine);
  const needs: readonly { readonly id: string; readonly icon: ReactNode; readonly text: string }[] = [
    ...(readers.length > 0
      ? [{ id: 'files', icon: <FileText />, text: t('packages.needsFiles', { names: readers.join(', ') }) }]
      : []),
    ...(servers.length > 0
      ? [{ id: 'servers', icon: <Wrench />, text: t('packages.needsServers', { names: servers.join(', ') }) }]
      : []),
    ...(requiresNetwork ? [{ id: 'network', icon: <Globe />, text: t('packages.needsNetwork') }] : []),
  ];
  const nothing = { id: 'none', icon: <ShieldCheck />, text: t('packages.needsNothing') };
  return (
    <section>
      <h2 className="mb-1.5 font-semibold">{t('packages.asksFor')}</h2>
      <ul aria-label={t('packages.asksFor')} className="flex flex-col gap-1.5">
        {(needs.length === 0 ? [nothing] : needs).map(({ id, icon, text }) => (
          <li key={id} className="flex items-start gap-2.5">
            <span aria-hidden="true" className="mt-0.5 text-ink-faint [&_svg]:size-4">
              {icon}
            </span>
            <span className="min-w-0 wrap-anywhere">{text}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

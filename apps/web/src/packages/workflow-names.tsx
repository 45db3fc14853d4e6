/** The workflows of a package by name, the first one being where it begins by itself. */
import type { InspectedPackage } from '@crewagent/protocol/api/packages';
import { Workflow } from 'lucide-react';
import { useTranslation } from '../i18n/use-translation.ts';
import { toShownLine } from '../ui/foreign-text.ts';

type ShownWorkflow = NonNullable<InspectedPackage['contents']>['workflows'][number];

export function WorkflowNames({ workflows }: { readonly workflows: readonly ShownWorkflow[] }) {
  const { t } = useTranslation();
  return (
    <section>
      <h2 className="mb-1.5 font-semibold">{t('packages.workflows', { count: workflows.length })}</h2>
      <ul aria-label={t('packages.workflowList')} className="flex flex-col gap-1.5">
        {workflows.map(({ ref, title, description, nodes }) => (
          <li key={ref} className="flex items-start gap-2.5">
            <Workflow aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-ink-faint" />
            <span className="min-w-0 wrap-anywhere">
              <span className="font-medium">{toShownLine(title)}</span>
              <span className="text-ink-faint"> · {t('new.steps', { count: nodes })}</span>
              {description ? (
                <span className="block text-sm text-ink-soft">{toShownLine(description)}</span>
              ) : undefined}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

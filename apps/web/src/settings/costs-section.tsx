/** What the models cost: the last days, by day, model, package and Work, with the limits of a run. */
import '../i18n/settings-texts.ts';
import type { CostReport, OwnerCost } from '@crewagent/protocol/api/costs';
import type { CostSum } from '@crewagent/protocol/costs';
import { toPackageTitle } from '@crewagent/protocol/package-title';
import { useState } from 'react';
import { useCosts, useSettings } from '../api/settings-queries.ts';
import { formatCompact, formatDay, formatNumber } from '../i18n/format.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { navigate } from '../navigation/router.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/errors/error-note.tsx';
import { Select } from '../ui/forms/input.tsx';
import { toShownLine } from '../ui/sanitize-text.ts';
import { Skeleton } from '../ui/skeleton.tsx';
import { CostAmount, CostTable } from './cost-table.tsx';
import { SettingField, SettingsGate, SettingsPart } from './settings-part.tsx';

const RANGES = [7, 30, 90, 365];

export function CostsSection() {
  const { t } = useTranslation();
  const [days, setDays] = useState(30);
  const { data: report, error } = useCosts(days);
  return (
    <SettingsPart
      section="costs"
      aside={
        <div className="w-40">
          <Select
            aria-label={t('costs.range')}
            value={String(days)}
            onChoose={(chosen) => setDays(Number(chosen))}
            options={RANGES.map((count) => ({ value: String(count), label: t('costs.days', { count }) }))}
          />
        </div>
      }
    >
      <div className="mt-5 flex flex-col gap-7">
        <ErrorNote issue={error} />
        {report === undefined && !error ? <Skeleton className="h-40" /> : undefined}
        {report ? <Report report={report} /> : undefined}
        <section aria-labelledby="costs-limits">
          <h3 id="costs-limits" className="font-semibold">
            {t('costs.limits')}
          </h3>
          <p className="mt-0.5 text-sm text-ink-soft">{t('costs.limitsText')}</p>
          <SettingsGate>
            <SettingField path="limits.maxCostUsd" />
            <SettingField path="limits.maxTokens" />
          </SettingsGate>
        </section>
      </div>
    </SettingsPart>
  );
}

function Report({ report }: { readonly report: CostReport }) {
  const { t } = useTranslation();
  const { data: settings } = useSettings();
  const { total, days, models, packages, people, projects, works, prices, remaining } = report;
  const limit = settings?.settings.limits.maxCostUsd;
  return (
    <>
      <Total total={total} />
      {remaining > 0 ? (
        <p role="status" className="text-sm text-ink-faint">
          {t('costs.remaining', { count: remaining })}
        </p>
      ) : undefined}
      {total.requests === 0 ? (
        remaining === 0 && <p className="text-ink-faint">{t('costs.empty')}</p>
      ) : (
        <>
          <CostTable
            title={t('costs.byDay')}
            head={t('costs.day')}
            rows={days.map((row) => ({ ...row, key: row.name, name: formatDay(row.name) }))}
          />
          {people ? (
            <CostTable
              title={t('costs.byPerson')}
              head={t('costs.person')}
              rows={toOwners(people, t('costs.nobody'))}
            />
          ) : undefined}
          {projects ? (
            <CostTable
              title={t('costs.byProject')}
              head={t('costs.project')}
              rows={toOwners(projects, t('costs.deletedProject'))}
            />
          ) : undefined}
          <CostTable
            title={t('costs.byModel')}
            head={t('costs.model')}
            rows={models.map((row) => ({ ...row, note: toPriceNote(t, row.name, prices) }))}
          />
          <CostTable
            title={t('costs.byPackage')}
            head={t('costs.package')}
            rows={packages.map((row) => ({
              ...{ ...row, key: row.name },
              name: row.name === '' ? t('costs.chat') : toPackageTitle(row),
            }))}
          />
          <CostTable
            title={t('costs.byWork')}
            head={t('costs.work')}
            rows={works.map(({ title, workId, projectId, ...cost }) => ({
              ...{ ...cost, key: workId, name: title || t('costs.untitled') },
              onOpen: () => navigate({ name: 'work', projectId, workId }),
            }))}
            limit={limit}
          />
        </>
      )}
    </>
  );
}

function toOwners(rows: readonly OwnerCost[], unnamed: string) {
  return rows.map(({ id, name, ...cost }) => ({ ...cost, key: id, name: name || unnamed }));
}

function Total({ total }: { readonly total: CostSum }) {
  const { t } = useTranslation();
  const tokens = total.promptTokens + total.completionTokens;
  return (
    <div className="flex flex-wrap items-baseline gap-x-4 gap-y-1 rounded-lg border bg-surface px-4 py-3">
      <span className="text-ink-soft">{t('costs.total')}</span>
      <span className="text-lg font-semibold tabular-nums">
        <CostAmount cost={total} />
      </span>
      <span className="text-ink-faint tabular-nums">
        {t('usage.tokens', { tokens: formatCompact(tokens) })}
      </span>
      <span className="text-ink-faint tabular-nums">
        {t('costs.requests', { count: total.requests, shown: formatNumber(total.requests) })}
      </span>
      {total.unpricedTokens > 0 ? (
        <span className="ms-auto">
          <Button size="sm" onClick={() => navigate({ name: 'settings', section: 'model' })}>
            {t('costs.setPrice')}
          </Button>
        </span>
      ) : undefined}
    </div>
  );
}

/** Where the price of a model comes from. */
function toPriceNote(
  t: ReturnType<typeof useTranslation>['t'],
  model: string,
  prices: CostReport['prices'],
): string | undefined {
  const price = prices.find((known) => known.model === model);
  if (!price) return undefined;
  if (!price.list) return t('costs.ownPrice');
  return t('costs.listPrice', {
    date: price.list.asOf,
    source: toShownLine(new URL(price.list.source).host),
  });
}

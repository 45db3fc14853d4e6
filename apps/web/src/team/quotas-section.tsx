/** What people and projects may spend, and what they have spent. Administrators set it. */
import type { Me } from '@crewagent/protocol/api/accounts';
import { quotaSchema, type ShownQuota } from '@crewagent/protocol/api/quotas';
import { Gauge, Pencil, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useChange } from '../api/api-context.tsx';
import { useProjects } from '../api/queries.ts';
import { formatCompact, formatCost, formatDateTime } from '../i18n/format.ts';
import { type Translation, useTranslation } from '../i18n/use-translation.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/errors/error-note.tsx';
import { SelectField, TextField } from '../ui/forms/simple-fields.tsx';
import { FormDialog } from '../ui/overlays/form-dialog.tsx';
import { MoreMenu, menuItem } from '../ui/overlays/menu.tsx';
import { ProgressBar } from '../ui/progress-bar.tsx';
import { toShownLine } from '../ui/sanitize-text.ts';
import { Panel } from './panel.tsx';
import { TEAM_KEYS, team, useTeamQuery } from './team-client.ts';

export function QuotasSection({ me }: { readonly me: Me }) {
  const { t } = useTranslation();
  const { data, error } = useTeamQuery(TEAM_KEYS.quotas, () => team.quotas.list(), true);
  const [edited, setEdited] = useState<ShownQuota | 'new'>();
  const { isAdmin } = me.person;
  return (
    <Panel
      title={t('team.section.quotas')}
      text={t('team.quotas.text')}
      aside={
        isAdmin ? (
          <Button icon={<Gauge className="size-4" />} onClick={() => setEdited('new')}>
            {t('team.quotas.add')}
          </Button>
        ) : undefined
      }
    >
      <ErrorNote issue={error} />
      {data?.quotas.length === 0 ? (
        <p className="text-ink-faint">{t(isAdmin ? 'team.quotas.none' : 'team.quotas.noneForYou')}</p>
      ) : undefined}
      <ul aria-label={t('team.section.quotas')} className="flex flex-col divide-y divide-line">
        {data?.quotas.map((quota) => (
          <QuotaRow
            key={`${quota.kind} ${quota.subjectId}`}
            quota={quota}
            onEdit={isAdmin ? () => setEdited(quota) : undefined}
          />
        ))}
      </ul>
      {edited ? (
        <QuotaDialog quota={edited === 'new' ? undefined : edited} onClose={() => setEdited(undefined)} />
      ) : undefined}
    </Panel>
  );
}

interface QuotaRowProps {
  readonly quota: ShownQuota;
  readonly onEdit: (() => void) | undefined;
}

function QuotaRow({ quota, onEdit }: QuotaRowProps) {
  const { t } = useTranslation();
  const { kind, subjectId, period, tokens, costUsd, used, endsAt } = quota;
  const name = toName(quota, t);
  const remove = useChange(TEAM_KEYS.quotas, () => team.quotas.put({ body: { kind, subjectId } }));
  const limits = [
    ...(tokens === undefined ? [] : [t('usage.tokens', { tokens: formatCompact(tokens) })]),
    ...(costUsd === undefined ? [] : [formatCost(costUsd)]),
  ].join(', ');
  const shares = used ? [used.tokens / (tokens ?? Infinity), used.costUsd / (costUsd ?? Infinity)] : [];
  const share = Math.max(0, ...shares);
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 py-2">
      <span className="min-w-40 grow basis-0">
        <span className="block truncate font-medium">{name}</span>
        <span className="block text-sm text-ink-faint">{t(`team.quotas.per.${period}`, { limits })}</span>
        {used && used.unpricedTokens > 0 && costUsd !== undefined ? (
          <span className="block text-sm text-warn">
            {t('team.quotas.unpriced', { tokens: formatCompact(used.unpricedTokens) })}
          </span>
        ) : undefined}
      </span>
      {used ? (
        <span className="w-56 text-sm text-ink-soft tabular-nums">
          <span className="mb-1 block">
            {t('team.quotas.used', {
              ...{ tokens: formatCompact(used.tokens), cost: formatCost(used.costUsd) },
            })}
          </span>
          <ProgressBar
            label={t('team.quotas.usedOf', { name })}
            value={share}
            tone={share >= WARN_FROM ? 'warn' : 'accent'}
          />
          <span className="mt-1 block text-xs text-ink-faint">
            {t('team.quotas.until', { when: formatDateTime(endsAt) })}
          </span>
        </span>
      ) : undefined}
      {onEdit ? (
        <MoreMenu
          label={t('team.people.actions', { name })}
          size="sm"
          items={[
            menuItem('edit', Pencil, t('team.quotas.change'), onEdit),
            menuItem('remove', Trash2, t('team.quotas.remove'), remove.run),
          ]}
        />
      ) : undefined}
      <ErrorNote issue={remove.issue} />
    </li>
  );
}

const WARN_FROM = 0.8;

function toName({ kind, name }: Pick<ShownQuota, 'kind' | 'name'>, t: Translation['t']): string {
  return kind === 'default' ? t('team.quotas.everybody') : toShownLine(name);
}

interface QuotaDialogProps {
  /** Undefined: a new one. */
  readonly quota: ShownQuota | undefined;
  readonly onClose: () => void;
}

function QuotaDialog({ quota, onClose }: QuotaDialogProps) {
  const { t } = useTranslation();
  const { data } = useTeamQuery(TEAM_KEYS.people, () => team.people.list());
  const { data: projects = [] } = useProjects();
  const [subject, setSubject] = useState(quota ? toSubject(quota) : 'default');
  const [period, setPeriod] = useState<ShownQuota['period']>(quota?.period ?? 'month');
  const [tokens, setTokens] = useState(String(quota?.tokens ?? ''));
  const [cost, setCost] = useState(String(quota?.costUsd ?? ''));
  const [kind = '', subjectId] = subject.split(' ');
  const parsed = quotaSchema.safeParse({ period, tokens: toNumber(tokens), costUsd: toNumber(cost) });
  const submit = useChange(TEAM_KEYS.quotas, async () => {
    const body = { kind: kind as ShownQuota['kind'], subjectId, quota: parsed.data };
    await team.quotas.put({ body });
    onClose();
  });
  const subjects = [
    { value: 'default', label: t('team.quotas.everybody') },
    ...(data?.people ?? []).map(({ personId, name }) => ({
      ...{ value: `person ${personId}`, label: toShownLine(name) },
    })),
    ...projects.map(({ projectId, name }) => ({
      ...{ value: `project ${projectId}`, label: t('team.quotas.project', { name: toShownLine(name) }) },
    })),
  ];
  return (
    <FormDialog
      title={t(quota ? 'team.quotas.change' : 'team.quotas.add')}
      submitLabel={t('action.save')}
      submit={submit}
      canSubmit={parsed.success}
      isDirty={tokens !== String(quota?.tokens ?? '') || cost !== String(quota?.costUsd ?? '')}
      onClose={onClose}
    >
      <SelectField
        label={t('team.quotas.of')}
        hint={t('team.quotas.ofHint')}
        value={subject}
        disabled={quota !== undefined}
        onChoose={setSubject}
        options={subjects}
      />
      <SelectField
        label={t('team.quotas.period')}
        hint={t('team.quotas.periodHint')}
        value={period}
        onChoose={(next) => setPeriod(next as ShownQuota['period'])}
        options={(['day', 'month'] as const).map((value) => ({
          ...{ value, label: t(`team.quotas.${value}`) },
        }))}
      />
      <AmountField label={t('team.quotas.tokens')} value={tokens} onChange={setTokens} />
      <AmountField
        label={t('team.quotas.cost')}
        hint={t('team.quotas.costHint')}
        value={cost}
        onChange={setCost}
      />
    </FormDialog>
  );
}

interface AmountFieldProps {
  readonly label: string;
  readonly hint?: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
}

function AmountField({ label, hint, value, onChange }: AmountFieldProps) {
  const { t } = useTranslation();
  const isWrong = value.trim() !== '' && !(Number(toNumber(value)) > 0);
  return (
    <TextField
      label={label}
      hint={hint}
      issue={isWrong ? t('team.quotas.notANumber') : undefined}
      inputMode="decimal"
      value={value}
      onChange={onChange}
    />
  );
}

function toSubject({ kind, subjectId }: ShownQuota): string {
  return subjectId === undefined ? kind : `${kind} ${subjectId}`;
}

/** `2,000,000` and `2 000 000` as well; not `1,5`, which some read as 15. */
function toNumber(text: string): number | undefined {
  const typed = text.trim();
  const isGrouped = /^\d{1,3}(?:[ ,，]\d{3})+(?:\.\d+)?$/.test(typed);
  return typed === '' ? undefined : Number(isGrouped ? typed.replaceAll(/[ ,，]/g, '') : typed);
}

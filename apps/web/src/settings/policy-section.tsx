/** What an organisation allows on this machine: its rules, or why nothing runs. Nothing here can be changed. */
import '../i18n/settings-texts.ts';
import type { ShownPolicy } from '@crewagent/protocol/policy';
import { Lock } from 'lucide-react';
import { useSettings } from '../api/settings-queries.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { toShownLine } from '../ui/sanitize-text.ts';
import { SettingsPart } from './settings-part.tsx';

export function PolicySection() {
  const { data } = useSettings();
  return (
    <SettingsPart section="policy">
      {(data?.policies ?? []).map((policy) => (
        <PolicyRules key={policy.place} policy={policy} />
      ))}
    </SettingsPart>
  );
}

/** What rules mean that limit no setting. */
const REASONS = { 'doors.agents': 'policy.agents', 'doors.over': 'policy.ways' } as const;

function PolicyRules({
  policy: { place, problem, organisation, contact, signedBy, rules = [] },
}: {
  readonly policy: ShownPolicy;
}) {
  const { t } = useTranslation();
  const facts = [
    contact && t('policy.contact', { contact: toShownLine(contact) }),
    signedBy && t('policy.signedBy', { key: signedBy }),
  ].filter(Boolean);
  return (
    <section className="mt-5 flex flex-col gap-2">
      <h3 className="flex items-center gap-2 font-semibold">
        <Lock className="size-4 shrink-0 text-ink-faint" />
        {organisation === undefined ? t('policy.title') : toShownLine(organisation)}
      </h3>
      <p className="text-sm text-ink-faint wrap-anywhere">
        {[t('policy.place', { place: toShownLine(place) }), ...facts].join(' · ')}
      </p>
      {problem === undefined ? undefined : (
        <p role="alert" className="max-w-xl text-bad wrap-anywhere">
          {toShownLine(problem)}
        </p>
      )}
      {rules.length === 0 ? undefined : (
        <dl className="divide-y divide-line rounded-lg border">
          {rules.map(({ rule, value }) => (
            <div key={rule} className="flex flex-wrap gap-x-4 px-3.5 py-2.5">
              <dt className="w-40 shrink-0 font-mono text-sm">{rule}</dt>
              <dd className="min-w-0 grow basis-0 text-ink-soft wrap-anywhere">
                {value === '' ? t('policy.nothing') : toShownLine(value)}
                {Object.hasOwn(REASONS, rule) && (
                  <p className="text-sm text-ink-faint">{t(REASONS[rule as keyof typeof REASONS])}</p>
                )}
              </dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  );
}

/** The facts of one visit: who spoke, files, checks, what was accepted, refusals, and where it went. */
import type { EvidenceVisit } from '@crewagent/protocol/evidence';
import { isUnmet } from '@crewagent/protocol/proof';
import { Ban, Check, CornerDownRight, FileText, MessageSquare, Send, ShieldAlert, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { formatBytes, formatNumber } from '../../../i18n/format.ts';
import { useTranslation } from '../../../i18n/use-translation.ts';
import { toShownLine, toShownText } from '../../../ui/sanitize-text.ts';

interface VisitFactsProps {
  readonly visit: EvidenceVisit;
  readonly titleOf: (nodeId: string) => string;
}

export function VisitFacts({ visit, titleOf }: VisitFactsProps) {
  const { t } = useTranslation();
  const { firstTurn, requestSha256, spoken, files, waivers, outputsMissing, refusals, decision } = visit;
  const refused = Object.values(refusals).reduce((sum, count) => sum + count, 0);
  return (
    <ul className="flex flex-col gap-1.5">
      {spoken.map(({ kind, text, by, seq }) => (
        <Fact key={seq} icon={<MessageSquare className="text-ink-faint" />}>
          <b className="font-medium">{t(`evidence.said.${by ?? 'person'}`)}</b>
          {': '}
          <span className="whitespace-pre-wrap">
            {kind === 'approval' ? t('evidence.approved') : toShownText(text)}
          </span>
        </Fact>
      ))}
      {firstTurn === undefined ? undefined : (
        <Fact icon={<Send className="text-ink-faint" />}>
          {t('evidence.request', { number: formatNumber(firstTurn) })}
          {requestSha256 === undefined ? undefined : (
            <>
              {' · '}
              <code title={`SHA-256 ${requestSha256}`}>{requestSha256.slice(0, 12)}</code>
            </>
          )}
        </Fact>
      )}
      {files.map(({ path, bytes, before, isOutsideEdit }) => (
        <Fact key={path} icon={<FileText className="text-ink-faint" />}>
          <bdi>{toName(path)}</bdi>
          <span className="text-ink-faint">
            {[
              '',
              formatBytes(bytes),
              ...(before === undefined ? [t('evidence.created')] : []),
              ...(isOutsideEdit ? [t('evidence.outside')] : []),
            ].join(' · ')}
          </span>
        </Fact>
      ))}
      <Checks checks={visit.checks} />
      {outputsMissing.map((path) => (
        <Fact key={path} icon={<X className="text-bad" />}>
          <bdi>{toName(path)}</bdi> · {t('evidence.notWritten')}
        </Fact>
      ))}
      {waivers.map(({ check, reason }) => (
        <Fact key={check} icon={<ShieldAlert className="text-warn" />}>
          {t('evidence.accepted', { name: check === 'wait' ? t('proof.yourAnswer') : toName(check) })}
          {': '}
          <q className="whitespace-pre-wrap">{toShownText(reason)}</q>
        </Fact>
      ))}
      {refused > 0 ? (
        <Fact icon={<Ban className="text-ink-faint" />}>{t('evidence.refused', { count: refused })}</Fact>
      ) : undefined}
      {decision ? (
        <Fact icon={<CornerDownRight className="text-ink-faint" />}>
          {t(`evidence.decided.${decision.by ?? 'model'}`)}
          {': '}
          <b className="font-medium">{titleOf(decision.to)}</b>
          {decision.reason ? (
            <span className="block whitespace-pre-wrap text-ink-soft">{toShownText(decision.reason)}</span>
          ) : undefined}
        </Fact>
      ) : undefined}
    </ul>
  );
}

function Checks({ checks }: Pick<EvidenceVisit, 'checks'>) {
  const { t, i18n } = useTranslation();
  return checks.map((check) => {
    const { id, kind, path, ok, message } = check;
    const icon = ok ? (
      <Check className="text-ok" />
    ) : isUnmet(check) ? (
      <X className="text-bad" />
    ) : (
      <ShieldAlert className="text-warn" />
    );
    return (
      <Fact key={`${id} ${kind} ${path}`} icon={icon}>
        {kind === 'wait' ? undefined : (
          <>
            <bdi>{toName(path ?? id)}</bdi>
            {' · '}
          </>
        )}
        {t(ok ? `proof.met.${kind}` : `proof.unmet.${kind}`)}
        {/* What it says about waiting is meant for the model. */}
        {ok || kind === 'wait' ? undefined : (
          <span
            lang={i18n.language === 'en' ? undefined : 'en'}
            className="block text-sm whitespace-pre-wrap text-ink-soft"
          >
            {toShownText(message)}
          </span>
        )}
      </Fact>
    );
  });
}

function Fact({ icon, children }: { readonly icon: ReactNode; readonly children: ReactNode }) {
  return (
    <li className="flex min-w-0 items-start gap-2">
      <span aria-hidden="true" className="mt-0.5 shrink-0 [&_svg]:size-4">
        {icon}
      </span>
      <div className="min-w-0 wrap-anywhere">{children}</div>
    </li>
  );
}

/** A file of the project without its mount, a command without its prefix. */
function toName(id: string): string {
  return toShownLine(id.replace(/^@project\/|^verify: /, ''));
}

/** When room was made, and how much. */
import type { ShownContext } from '@crewagent/protocol/api/shown-context';
import { formatCompact, formatWhen } from '../../../i18n/format.ts';
import { useTranslation } from '../../../i18n/use-translation.ts';

export function Compactions({ compactions }: Pick<ShownContext, 'compactions'>) {
  const { t } = useTranslation();
  return (
    <section aria-label={t('context.compactions')} className="border-t pt-3">
      <h3 className="mb-1 text-xs font-medium text-ink-faint">{t('context.compactions')}</h3>
      {compactions.length === 0 ? (
        <p className="text-sm text-ink-faint">{t('context.noCompactions')}</p>
      ) : (
        <ol className="flex flex-col gap-1">
          {compactions.toReversed().map(({ at, outcome, tokensBefore, tokensAfter }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two may be of one moment
            <li key={`${at} ${index}`} className="flex flex-wrap gap-x-2 text-sm tabular-nums">
              <span>{t(`context.outcome.${outcome}`)}</span>
              <span className="text-ink-faint">
                {t('context.shrunk', {
                  before: formatCompact(tokensBefore),
                  after: formatCompact(tokensAfter),
                })}
              </span>
              <time dateTime={at} className="ms-auto text-xs text-ink-faint">
                {formatWhen(at)}
              </time>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}

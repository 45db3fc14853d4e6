/** What a finding says and how to fix it, in the person's language; the message in English has the details. */
import '../i18n/package-texts.ts';
import type { Diagnostic } from '@crewagent/protocol/diagnostics';
import { lazy, Suspense } from 'react';
import { useTranslation } from '../i18n/use-translation.ts';
import { toShownText } from '../ui/sanitize-text.ts';

export function FindingText({ finding }: { readonly finding: Diagnostic }) {
  const { i18n } = useTranslation();
  const { message, fix } = finding;
  if (i18n.language === 'en')
    return <Sentences message={toSentence(toShownText(message))} fix={toShownText(fix)} />;
  return (
    <Suspense>
      <ChineseText finding={finding} />
    </Suspense>
  );
}

const ChineseText = lazy(async () => {
  const { toChineseFinding } = await import('@crewagent/protocol/texts/zh-CN/findings');
  return {
    default: ({ finding }: { readonly finding: Diagnostic }) => {
      const { message, fix } = toChineseFinding(finding);
      return (
        <>
          <Sentences message={toShownText(message)} fix={fix} />
          <p lang="en" className="text-sm text-ink-faint wrap-anywhere">
            {toSentence(toShownText(finding.message))}
          </p>
        </>
      );
    },
  };
});

/** In a terminal a message follows its location; here it stands alone. A name at its beginning stays as it is written. */
function toSentence(message: string): string {
  return message.replace(/^[a-z]+(?=[ ,])/, (word) => word.charAt(0).toUpperCase() + word.slice(1));
}

function Sentences({ message, fix }: Pick<Diagnostic, 'message' | 'fix'>) {
  const { t } = useTranslation();
  return (
    <>
      <p className="wrap-anywhere">{message}</p>
      <p className="text-sm text-ink-soft wrap-anywhere">
        <span className="font-medium">{t('packages.fix')}</span> {fix}
      </p>
    </>
  );
}

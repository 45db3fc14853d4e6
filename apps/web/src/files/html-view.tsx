/** A page out of a project in a frame where nothing runs, nothing is fetched and nothing leads out. Loaded lazily. */
import { useMemo } from 'react';
import { useTranslation } from '../i18n/use-translation.ts';
import { toInertHtml } from './to-inert-html.ts';

interface HtmlViewProps {
  readonly label: string;
  readonly text: string;
}

export default function HtmlView({ label, text }: HtmlViewProps) {
  const { t } = useTranslation();
  const html = useMemo(() => toInertHtml(text), [text]);
  return (
    <div className="flex h-full flex-col">
      <p className="shrink-0 border-b bg-canvas px-3 py-1.5 text-xs text-ink-faint">{t('files.pageInert')}</p>
      {/* What a page stands on is white, unless it says otherwise. */}
      <iframe title={label} sandbox="" srcDoc={html} className="min-h-0 w-full grow bg-[#fff]" />
    </div>
  );
}

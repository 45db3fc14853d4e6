/** Bundled packages that are not installed yet, each with an Install button. */
import '../i18n/package-texts.ts';
import type { GalleryCard } from '@crewagent/protocol/api/packages';
import { useRef } from 'react';
import { useGallery } from '../api/queries.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { navigate } from '../navigation/router.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/errors/error-note.tsx';
import { toShownLine } from '../ui/sanitize-text.ts';
import { hasLostFocus, useAction } from '../ui/use-action.ts';
import { useInstalled } from './install/use-installed.ts';

interface ExampleListProps {
  /** The others are on the screen of packages. */
  readonly limit?: number;
}

export function ExampleList({ limit = Number.POSITIVE_INFINITY }: ExampleListProps) {
  const { t } = useTranslation();
  const { data: cards = [] } = useGallery(false);
  const missing = cards.filter(({ example }) => example !== undefined);
  const shown = missing.slice(0, limit);
  const list = useRef<HTMLDivElement>(null);
  // The row of an installed example goes, and with it the button that was pressed.
  const restoreFocus = (): void => {
    if (!hasLostFocus()) return;
    const next = list.current?.querySelector<HTMLElement>('button:enabled:not([aria-busy])');
    (next ?? document.getElementById('main'))?.focus();
  };
  if (shown.length === 0) return undefined;
  return (
    <div ref={list}>
      <h3 className="mb-1 text-sm text-ink-faint">{t('packages.examples')}</h3>
      <ul aria-label={t('packages.examples')} className="flex flex-col gap-1">
        {shown.map((example) => (
          <ExampleRow key={example.example} example={example} onInstalled={restoreFocus} />
        ))}
      </ul>
      {missing.length > shown.length ? (
        <Button size="sm" kind="quiet" onClick={() => navigate({ name: 'packages' })} className="-ms-2 mt-1">
          {t('packages.allExamples', { count: missing.length })}
        </Button>
      ) : undefined}
    </div>
  );
}

interface ExampleRowProps {
  readonly example: GalleryCard;
  readonly onInstalled: () => void;
}

function ExampleRow({ example: { example = '', title, description }, onInstalled }: ExampleRowProps) {
  const { t } = useTranslation();
  const { installExample } = useInstalled();
  const install = useAction(async () => {
    await installExample(example);
    onInstalled();
  });
  return (
    <li className="flex flex-col gap-2 py-1">
      <div className="flex items-center gap-3">
        <span className="min-w-0 grow">
          <span className="block truncate font-medium">{toShownLine(title)}</span>
          {description === undefined ? undefined : (
            <span className="line-clamp-2 text-sm text-ink-faint">{toShownLine(description)}</span>
          )}
        </span>
        <Button
          size="sm"
          isBusy={install.isBusy}
          aria-label={t('packages.installOne', { name: toShownLine(title) })}
          onClick={() => install.run()}
        >
          {t('packages.install')}
        </Button>
      </div>
      <ErrorNote issue={install.issue} />
    </li>
  );
}

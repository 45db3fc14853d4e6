/** A titled part of the screen of a team, and a secret that is shown once. */
import { Copy } from 'lucide-react';
import { type ReactNode, useId } from 'react';
import { useTranslation } from '../i18n/use-translation.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/errors/error-note.tsx';
import { Input } from '../ui/forms/input.tsx';
import { Dialog } from '../ui/overlays/dialog.tsx';
import { useToasts } from '../ui/overlays/toast-store.ts';
import { useAction } from '../ui/use-action.ts';

interface PanelProps {
  readonly title: string;
  readonly text?: string;
  readonly aside?: ReactNode;
  readonly children: ReactNode;
}

export function Panel({ title, text, aside, children }: PanelProps) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="flex min-w-0 flex-col gap-3 rounded-xl border bg-surface p-4">
      <header className="flex flex-wrap items-start justify-between gap-3">
        <div className="min-w-0">
          <h2 id={id} className="text-lg font-semibold">
            {title}
          </h2>
          {text === undefined ? undefined : <p className="text-sm text-ink-faint">{text}</p>}
        </div>
        {aside}
      </header>
      {children}
    </section>
  );
}

interface ShownOnceProps {
  readonly title: string;
  readonly text: string;
  readonly secret: string;
  readonly onClose: () => void;
}

export function ShownOnce({ title, text, secret, onClose }: ShownOnceProps) {
  const { t } = useTranslation();
  const copy = useAction(async () => {
    await navigator.clipboard.writeText(secret);
    useToasts.getState().show(t('team.copied'));
  });
  return (
    <Dialog
      title={title}
      description={text}
      onClose={onClose}
      footer={<Button onClick={onClose}>{t('action.close')}</Button>}
    >
      <div className="flex gap-2 pt-1">
        <Input
          readOnly
          aria-label={title}
          value={secret}
          spellCheck={false}
          onFocus={(event) => event.target.select()}
        />
        <Button icon={<Copy className="size-4" />} isBusy={copy.isBusy} onClick={copy.run}>
          {t('team.copy')}
        </Button>
      </div>
      <ErrorNote issue={copy.issue} />
    </Dialog>
  );
}

/**
 * Toasts: success messages that disappear after a while, and Works that wait for the user, which stay. Errors are shown where
 * they happened and never as toasts.
 */
import { CircleCheck, MessageCircleQuestion, X } from 'lucide-react';
import { Toast as Radix } from 'radix-ui';
import { useTranslation } from '../../i18n/use-translation.ts';
import { IconButton } from '../button.tsx';
import { useToasts } from './toast-store.ts';

export function Toasts() {
  const { t } = useTranslation();
  const { toasts, dismiss } = useToasts();
  return (
    <Radix.Provider label={t('toast.label')} duration={5_000}>
      {toasts.map(({ id, text, action, waitsFor }) => (
        <Radix.Root
          key={id}
          onOpenChange={(isOpen) => !isOpen && dismiss(id)}
          duration={waitsFor === undefined ? undefined : STAYS_MS}
          className="pop-in flex items-center gap-2 rounded-lg bg-raised py-2 ps-3 pe-2 text-ink shadow-raised"
        >
          {waitsFor === undefined ? (
            <CircleCheck className="size-4 shrink-0 text-ok" />
          ) : (
            <MessageCircleQuestion className="size-4 shrink-0 text-warn" />
          )}
          <Radix.Title className="line-clamp-4 min-w-0 grow wrap-anywhere">{text}</Radix.Title>
          {action ? (
            <Radix.Action
              altText={action.label}
              onClick={action.onChoose}
              className="rounded-sm px-1.5 py-0.5 font-medium text-accent-text hover:bg-hover"
            >
              {action.label}
            </Radix.Action>
          ) : undefined}
          <Radix.Close asChild>
            <IconButton label={t('action.close')} size="sm" hasTooltip={false}>
              <X />
            </IconButton>
          </Radix.Close>
        </Radix.Root>
      ))}
      {/* Below the tabs, where there is nothing to press in the middle; on phones at the bottom, above the bar. */}
      <Radix.Viewport
        data-toasts=""
        label={`${t('toast.label')} ({hotkey})`}
        className="fixed inset-x-0 bottom-16 z-50 mx-auto flex w-80 max-w-[calc(100vw-2rem)] flex-col gap-2 outline-none md:top-12 md:bottom-auto"
      />
    </Radix.Provider>
  );
}

/** The maximum of a browser timer. */
const STAYS_MS = 2 ** 31 - 1;

/** The attached files of a message, each with its progress, its error, and a button that removes it. */
import { CircleAlert, Paperclip, X } from 'lucide-react';
import { useRef } from 'react';
import { useTranslation } from '../../i18n/use-translation.ts';
import { IconButton, Spinner } from '../../ui/button.tsx';
import { classNames } from '../../ui/class-names.ts';
import { useErrorLine } from '../../ui/errors/error-texts.ts';
import { toShownLine } from '../../ui/sanitize-text.ts';
import type { Attachment } from './use-attachments.ts';

interface AttachmentListProps {
  readonly attachments: readonly Attachment[];
  readonly onRemove: (attachment: Attachment) => void;
  readonly className?: string;
}

export function AttachmentList({ attachments, onRemove, className }: AttachmentListProps) {
  const { t } = useTranslation();
  if (attachments.length === 0) return undefined;
  return (
    <ul aria-label={t('composer.attachments')} className={classNames('flex flex-wrap gap-1.5', className)}>
      {attachments.map((attachment) => (
        <AttachmentChip key={attachment.id} attachment={attachment} onRemove={onRemove} />
      ))}
    </ul>
  );
}

interface AttachmentChipProps {
  readonly attachment: Attachment;
  readonly onRemove: AttachmentListProps['onRemove'];
}

function AttachmentChip({ attachment, onRemove }: AttachmentChipProps) {
  const { t } = useTranslation();
  const { name, path, issue } = attachment;
  const reason = useErrorLine(issue === 'too-large' ? undefined : issue);
  const isStoring = path === undefined && issue === undefined;
  const shown = toShownLine(path?.replace(/^@project\//, '') ?? name);
  return (
    <li className="flex max-w-full min-w-0 items-center gap-1.5 rounded-md border bg-canvas py-0.5 ps-2 pe-0.5 text-sm [&_svg]:shrink-0">
      {isStoring ? (
        <Spinner />
      ) : issue ? (
        <CircleAlert aria-hidden="true" className="size-3.5 text-bad" />
      ) : (
        <Paperclip aria-hidden="true" className="size-3.5 text-ink-faint" />
      )}
      <span className="min-w-0">
        <bdi className="block truncate">{shown}</bdi>
        {issue ? (
          <span role="alert" className="block text-xs text-bad wrap-anywhere">
            {issue === 'too-large' ? t('composer.attachmentTooLarge') : reason}
          </span>
        ) : undefined}
      </span>
      {isStoring ? <span className="sr-only">{t('composer.storing')}</span> : undefined}
      <IconButton
        size="sm"
        label={t('composer.removeAttachment', { name: shown })}
        disabled={isStoring}
        onClick={() => onRemove(attachment)}
      >
        <X />
      </IconButton>
    </li>
  );
}

/** Opens the file dialog of the system. */
export function AttachButton({ onFiles }: { readonly onFiles: (files: readonly File[]) => void }) {
  const { t } = useTranslation();
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        onChange={({ target }) => {
          onFiles([...(target.files ?? [])]);
          // The same file can be chosen again.
          target.value = '';
        }}
      />
      <IconButton label={t('composer.attach')} onClick={() => input.current?.click()}>
        <Paperclip aria-hidden="true" />
      </IconButton>
    </>
  );
}

/** A path in Markdown that opens its file. */
import type { ReactNode } from 'react';
import { useTranslation } from '../../i18n/use-translation.ts';

interface FileButtonProps {
  readonly onOpen: () => void;
  readonly children: ReactNode;
}

export function FileButton({ onOpen, children }: FileButtonProps) {
  const { t } = useTranslation();
  return (
    <button type="button" className="file-link" title={t('text.openFile')} onClick={onOpen}>
      {children}
    </button>
  );
}

/** Finds and opens a file by a few letters of its path. */

import { useState } from 'react';
import { useFoundFiles } from '../../api/files-queries.ts';
import { useTranslation } from '../../i18n/use-translation.ts';
import { PaletteFrame } from '../../palette/palette-frame.tsx';
import { toErrorLine } from '../../ui/errors/error-texts.ts';
import { toFileCommand } from '../use-file-commands.tsx';

interface FindFileDialogProps {
  readonly projectId: string;
  readonly onClose: () => void;
}

export function FindFileDialog({ projectId, onClose }: FindFileDialogProps) {
  const translation = useTranslation();
  const { t } = translation;
  const [text, setText] = useState('');
  const { data, isPending, error } = useFoundFiles(projectId, text.trim());
  return (
    <PaletteFrame
      isOpen
      onClose={onClose}
      title={t('files.find')}
      placeholder={t('files.findPlaceholder')}
      text={text}
      onText={setText}
      empty={error ? toErrorLine(error, translation) : t(isPending ? 'files.finding' : 'files.findEmpty')}
      commands={(data?.paths ?? []).map((path) => toFileCommand(projectId, path, t('rail.files')))}
      note={data?.isCut ? t('files.findCut') : undefined}
    />
  );
}

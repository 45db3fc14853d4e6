/** A folder or a zip for a project: dropped, or chosen. A folder is packed by the page. */
import { FileArchive, FolderUp } from 'lucide-react';
import { useRef, useState } from 'react';
import { useTranslation } from '../i18n/use-translation.ts';
import { chooseFolder, readDropped } from '../packages/read-folder.ts';
import { Button } from '../ui/button.tsx';
import { classNames } from '../ui/class-names.ts';
import { ErrorNote } from '../ui/errors/error-note.tsx';
import { toShownLine } from '../ui/sanitize-text.ts';
import { useAction } from '../ui/use-action.ts';

interface UploadFieldProps {
  readonly zip: File | undefined;
  readonly hint: string;
  readonly onChoose: (zip: File) => void;
}

export function UploadField({ zip, hint, onChoose }: UploadFieldProps) {
  const { t } = useTranslation();
  const chooser = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const read = useAction(async (given: Promise<File> | File) => onChoose(await given));
  return (
    <fieldset
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        const dropped = readDropped(event.dataTransfer);
        if (dropped) read.run(dropped);
      }}
      className={classNames(
        'flex flex-col gap-2.5 rounded-lg border border-dashed border-line-strong p-3',
        isOver && 'border-accent-text bg-accent-soft',
      )}
    >
      <legend className="sr-only">{t('team.projects.upload')}</legend>
      <p className="wrap-anywhere text-ink-faint">
        {zip ? toShownLine(zip.name) : `${t('team.projects.drop')} · ${hint}`}
      </p>
      <div className="flex flex-wrap gap-2">
        <Button
          size="sm"
          icon={<FolderUp className="size-3.5" />}
          isBusy={read.isBusy}
          onClick={() => chooseFolder((given) => read.run(given))}
        >
          {t('team.projects.chooseFolder')}
        </Button>
        <Button
          size="sm"
          icon={<FileArchive className="size-3.5" />}
          onClick={() => chooser.current?.click()}
        >
          {t('team.projects.chooseZip')}
        </Button>
      </div>
      <input
        ref={chooser}
        type="file"
        accept=".zip"
        className="hidden"
        tabIndex={-1}
        aria-label={t('team.projects.chooseZip')}
        onChange={({ target }) => {
          const [file] = target.files ?? [];
          if (file) read.run(file);
          target.value = '';
        }}
      />
      <ErrorNote issue={read.issue} />
    </fieldset>
  );
}

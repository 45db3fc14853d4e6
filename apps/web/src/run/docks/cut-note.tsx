/** That a preview does not contain everything, and the download of what the call wants to write. */
import type { TimelineItem } from '@crewagent/protocol/timeline';
import { Download } from 'lucide-react';
import { saveBlob } from '../../api/save-response.ts';
import { useTranslation } from '../../i18n/use-translation.ts';
import { Button } from '../../ui/button.tsx';
import { writtenOf } from '../timeline/describe-tool.ts';

interface CutNoteProps {
  readonly call: TimelineItem | undefined;
  readonly target: string;
}

export function CutNote({ call, target }: CutNoteProps) {
  const { t } = useTranslation();
  return (
    <span className="flex flex-wrap items-center gap-x-3 gap-y-1 text-warn">
      {t('approval.cut')}
      {call?.kind === 'tool' ? (
        <Button
          size="sm"
          icon={<Download className="size-3.5" />}
          onClick={() => saveBlob(new Blob([writtenOf(call) ?? call.arguments]), toFileName(target))}
        >
          {t('approval.download')}
        </Button>
      ) : undefined}
    </span>
  );
}

/** A name that no folder is chosen by. */
function toFileName(target: string): string {
  return (
    target
      .split('/')
      .at(-1)
      ?.replace(/[^\p{L}\p{N}._-]+/gu, '_') || 'change.txt'
  );
}

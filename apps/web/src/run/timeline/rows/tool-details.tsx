/** What a call was asked and what came of it. A write is shown as its change. */
import { toReadableJson } from '@crewagent/protocol/json-text';
import { useTranslation } from '../../../i18n/use-translation.ts';
import { CodeBlock } from '../../../ui/code/code-block.tsx';
import { DiffView } from '../../../ui/code/diff-view.tsx';
import { Note } from '../../../ui/note.tsx';
import { toShownText } from '../../../ui/sanitize-text.ts';
import { useChangeLocation } from '../change-scope.ts';
import { answerOf, changeOf, isWrite, writtenOf } from '../describe-tool.ts';
import type { ToolItem } from '../to-rows.ts';
import { ChangeActions } from './change-actions.tsx';

interface ToolDetailsProps {
  readonly item: ToolItem;
  /** Whose call it is; without it there is nothing to do with its change here. */
  readonly source?: string | undefined;
}

export function ToolDetails({ item, source }: ToolDetailsProps) {
  const { t } = useTranslation();
  const place = useChangeLocation(source);
  const { error, text } = answerOf(item);
  // Whoever refused it knows; the rest is for the model.
  const isDeclined = item.approval?.decision === 'no';
  const change = changeOf(item);
  const written = writtenOf(item);
  return (
    <div className="flex flex-col gap-2">
      {error && !isDeclined ? (
        <Note
          level="error"
          title={item.status === 'refused' ? t('tool.wasRefused') : t('tool.didFail')}
          details={{ label: t('text.code'), text: error.code }}
        >
          {toShownText(error.message)}
        </Note>
      ) : undefined}
      {change ? (
        <DiffView diff={change} label={t(item.status === 'ok' ? 'diff.label' : 'approval.diff')} />
      ) : written === undefined ? (
        <CodeBlock
          text={toReadableJson(item.arguments)}
          label={t('tool.arguments')}
          title={t('tool.arguments')}
          wraps
        />
      ) : (
        <CodeBlock text={written} label={t('tool.written')} title={t('tool.written')} wraps />
      )}
      {change || written !== undefined || item.answer === undefined || text === '' ? undefined : (
        <CodeBlock text={text} label={t('tool.result')} title={t('tool.result')} />
      )}
      {place && isWrite(item) ? <ChangeActions place={place} callId={item.callId} /> : undefined}
    </div>
  );
}

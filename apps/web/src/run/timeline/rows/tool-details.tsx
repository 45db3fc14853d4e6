/** Arguments and result of a call. A write is shown as a diff, with its actions: open the file, undo, redo. */
import { toReadableJson } from '@crewagent/protocol/json-text';
import { blockOf } from '@crewagent/protocol/story/describe-call';
import type { ToolItem } from '@crewagent/protocol/story/items';
import { Redo2, Undo2 } from 'lucide-react';
import { useChanges } from '../../../api/inspector-queries.ts';
import { formatTime } from '../../../i18n/format.ts';
import { useTranslation } from '../../../i18n/use-translation.ts';
import { Button } from '../../../ui/button.tsx';
import { CodeBlock } from '../../../ui/code/code-block.tsx';
import { DiffView } from '../../../ui/code/diff-view.tsx';
import type { Diff } from '../../../ui/code/parse-diff.ts';
import { Note } from '../../../ui/note.tsx';
import { toShownLine, toShownText } from '../../../ui/sanitize-text.ts';
import { FileDiffView } from '../../inspector/artifacts/file-diff-view.tsx';
import { OpenFileButton } from '../../open-file-button.tsx';
import { changeMarkOf, toArtifacts } from '../../to-artifacts.ts';
import { UndoOutcome, useUndo } from '../../undo/use-undo.tsx';
import { type ChangeLocation, useChangeLocation } from '../change-scope.ts';
import { answerOf, changeOf, diskIssueOf, isWrite, writtenOf } from '../describe-tool.ts';

interface ToolDetailsProps {
  readonly item: ToolItem;
  /** The log of the call; without it, its change has no actions. */
  readonly source?: string | undefined;
}

export function ToolDetails({ item, source }: ToolDetailsProps) {
  const { t } = useTranslation();
  const location = useChangeLocation(source);
  const { error, text } = answerOf(item);
  // The user who denied it knows why; the rest is for the model.
  const isDeclined = item.approval?.decision === 'no';
  const change = changeOf(item);
  const written = writtenOf(item);
  const block = blockOf(item);
  const disk = diskIssueOf(item);
  return (
    <div className="flex flex-col gap-2">
      {item.isFromText ? <p className="text-sm text-ink-faint">{t('tool.fromText')}</p> : undefined}
      {error && !isDeclined ? (
        <Note
          level="error"
          title={
            disk === undefined
              ? t(item.status === 'refused' ? 'tool.wasRefused' : 'tool.didFail')
              : t(`changes.disk.${disk}`)
          }
          details={{
            label: t('text.code'),
            // The error's message addresses the model.
            text: block === undefined && disk === undefined ? error.code : `${error.code}\n${error.message}`,
          }}
        >
          {block !== undefined
            ? t(`changes.blockedWhy.${block}`)
            : disk !== undefined
              ? t(`changes.diskAdvice.${disk}`)
              : toShownText(error.message)}
        </Note>
      ) : undefined}
      {change?.isPartial && location && isWrite(item) ? (
        <WholeChange location={location} callId={item.callId} otherwise={change} />
      ) : change ? (
        <DiffView diff={change} label={t(item.status === 'ok' ? 'diff.label' : 'approval.diff')} />
      ) : written === undefined ? (
        <CodeBlock
          text={toReadableJson(item.arguments)}
          {...named(t('tool.arguments'))}
          language="json"
          wraps
        />
      ) : (
        <CodeBlock text={written} {...named(t('tool.written'))} language={extensionOf(item)} wraps />
      )}
      {change || written !== undefined || item.answer === undefined || text === '' ? undefined : (
        <CodeBlock text={text} {...named(t('tool.result'))} language={extensionOf(item) ?? 'json'} />
      )}
      {location && isWrite(item) ? <ChangeActions location={location} callId={item.callId} /> : undefined}
    </div>
  );
}

/** A block whose name is shown above it. */
function named(title: string) {
  return { label: title, title };
}

interface WholeChangeProps {
  readonly location: ChangeLocation;
  readonly callId: string;
  /** Fallback if the journal does not have the change. */
  readonly otherwise: Diff;
}

/** The log has only the beginning of a long change; the journal has all of it. */
function WholeChange({ location: { view }, callId, otherwise }: WholeChangeProps) {
  const { t } = useTranslation();
  const { data: changes } = useChanges(view.runId, changeMarkOf(view));
  const change = changes?.find((known) => known.callId === callId && known.runId === undefined);
  if (!change) return <DiffView diff={otherwise} label={t('diff.label')} />;
  const { path, changeId } = change;
  return <FileDiffView of={{ workId: view.runId, path, change: changeId, mark: '' }} />;
}

/** The extension of the call's file, as its language. */
function extensionOf({ effect: { path = '' } }: ToolItem): string | undefined {
  return /\.(\w{1,10})$/.exec(path)?.[1];
}

interface ChangeActionsProps {
  readonly location: ChangeLocation;
  readonly callId: string;
}

/** Renders nothing until the journal is loaded, or if the call is not in it. */
function ChangeActions({ location: { projectId, view }, callId }: ChangeActionsProps) {
  const { t } = useTranslation();
  const { data: changes = [] } = useChanges(view.runId, changeMarkOf(view));
  const undo = useUndo(projectId, view.runId);
  const change = changes.find((known) => known.callId === callId && known.runId === undefined);
  if (!change) return undefined;
  const { path, at, undone, undoable } = change;
  const isThere = toArtifacts(changes).some((file) => file.path === path && file.isThere);
  const isRunning = view.status.kind === 'running';
  const direction = undone ? 'redo' : 'undo';
  const Icon = undone ? Redo2 : Undo2;
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap gap-1.5">
        {isThere ? <OpenFileButton projectId={projectId} path={path} /> : undefined}
        {undone || undoable ? (
          <Button
            size="sm"
            icon={<Icon aria-hidden="true" className="size-3.5" />}
            disabled={isRunning}
            isBusy={undo.isBusy}
            title={isRunning ? t('inspector.files.running') : undefined}
            aria-label={t(`inspector.files.${direction}One`, {
              time: formatTime(at),
              path: toShownLine(path).replace(/^@project\//, ''),
            })}
            onClick={() => undo.run(direction, { callId })}
          >
            {t(`inspector.files.${direction}`)}
          </Button>
        ) : undefined}
      </div>
      <UndoOutcome projectId={projectId} undo={undo} changes={changes} />
    </div>
  );
}

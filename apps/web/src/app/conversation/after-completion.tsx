/** Next steps after a workflow is complete: open what it wrote, repeat it with a real model, start something else. */
import { outputsStillMissing } from '@crewagent/protocol/story/node-visits';
import type { Story } from '@crewagent/protocol/story/story';
import { joinSentences } from '@crewagent/protocol/texts/texts';
import { CircleCheck, FileX2 } from 'lucide-react';
import { useContext } from 'react';
import { useEvidence } from '../../api/inspector-queries.ts';
import { useModels } from '../../api/queries.ts';
import { FileIcon } from '../../files/file-kinds.tsx';
import { nameOf, PROJECT, parentOf, withoutMount } from '../../files/paths.ts';
import { useTranslation } from '../../i18n/use-translation.ts';
import { answeringModel } from '../../models/answering-model.ts';
import { openInFront } from '../../navigation/open-in-front.ts';
import { EvidenceLine, hasProof } from '../../run/evidence-line.tsx';
import { changeLayout } from '../../state/layout.ts';
import { openFile } from '../../state/open-files.ts';
import { Button } from '../../ui/button.tsx';
import { toShownLine } from '../../ui/sanitize-text.ts';
import { InspectorContext } from '../shell/inspector-toggle.tsx';
import { ChangedFiles, CreatedFiles } from './changed-files.tsx';
import { RunForReal } from './run-for-real.tsx';

interface AfterCompletionProps {
  readonly projectId: string;
  readonly active: Readonly<Story>;
  /** It was shown before, and messages followed. */
  readonly isAgain?: boolean;
}

export function AfterCompletion({ projectId, active, isAgain = false }: AfterCompletionProps) {
  const { t } = useTranslation();
  const { show } = useContext(InspectorContext);
  const { data: models } = useModels();
  const isRehearsal = active.model?.kind === 'rehearsal';
  const model = models && answeringModel(models);
  const realModel = model === undefined || model.kind === 'rehearsal' ? undefined : model.name;
  const missing = outputsStillMissing(active.visits, active.state);
  const results = toPaths(active.state.artifacts);
  const isWhole = missing.length === 0;
  const { data: evidence } = useEvidence(isAgain ? undefined : active.runId, String(active.lastSeq));
  const inspect = (inspectorTab: string) => (): void => {
    changeLayout(projectId, { inspectorTab });
    show();
  };
  const showFiles = inspect('artifacts');
  if (isAgain)
    return (
      <p className="my-2 flex items-center gap-2 text-sm text-ink-faint">
        <CircleCheck className="size-3.5 text-ok" />
        {t('phase.Completed')}
        <Button size="sm" kind="quiet" onClick={showFiles}>
          {t('after.files')}
        </Button>
      </p>
    );
  return (
    <section
      aria-label={t('after.label')}
      className="my-3 flex flex-col gap-3 rounded-xl border bg-canvas px-4 py-3.5"
    >
      <ChangedFiles projectId={projectId} view={active} />
      <p className="text-ink-soft">
        {isRehearsal
          ? joinSentences(
              t('after.rehearsed'),
              t(realModel === undefined ? 'after.connectHint' : 'after.runHint'),
            )
          : t(isWhole ? 'after.done' : 'after.over')}
      </p>
      {isWhole ? undefined : <MissingFiles paths={missing} />}
      {evidence && hasProof(evidence) ? (
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <EvidenceLine sheet={evidence} />
          <Button size="sm" kind="quiet" onClick={inspect('evidence')}>
            {t('evidence.show')}
          </Button>
        </div>
      ) : undefined}
      <WrittenFiles projectId={projectId} paths={results} onMore={showFiles} />
      <CreatedFiles projectId={projectId} view={active} results={results} />
      <div className="flex flex-wrap gap-2">
        {isRehearsal ? <RunForReal projectId={projectId} rehearsed={active} model={realModel} /> : undefined}
        <Button kind={isRehearsal ? 'plain' : 'primary'} onClick={showFiles}>
          {t('after.files')}
        </Button>
        <Button onClick={() => openInFront({ name: 'project', projectId })}>{t('after.begin')}</Button>
      </div>
    </section>
  );
}

/** As mount paths, last written first: that is usually the result. */
function toPaths(artifacts: readonly string[]): readonly string[] {
  const paths = artifacts.map((path) => (path.startsWith('@') ? path : `${PROJECT}/${path}`));
  return [...new Set(paths)].filter((path) => path.startsWith(`${PROJECT}/`)).reverse();
}

function MissingFiles({ paths }: { readonly paths: readonly string[] }) {
  const { t } = useTranslation();
  return (
    <div>
      <p id="missing-files" className="font-medium text-warn">
        {t('after.missing', { count: paths.length })}
      </p>
      <ul aria-labelledby="missing-files" className="mt-1 flex flex-col gap-0.5">
        {paths.map((path) => (
          <li key={path} className="flex items-start gap-2 text-ink-soft">
            <FileX2 className="mt-0.5 size-4 shrink-0 text-warn" />
            <bdi className="min-w-0 font-mono text-sm wrap-anywhere">{toShownLine(path)}</bdi>
          </li>
        ))}
      </ul>
    </div>
  );
}

interface WrittenFilesProps {
  readonly projectId: string;
  readonly paths: readonly string[];
  readonly onMore: () => void;
}

const MAX_FILES = 5;

function WrittenFiles({ projectId, paths, onMore }: WrittenFilesProps) {
  const { t } = useTranslation();
  const more = paths.length - MAX_FILES;
  if (paths.length === 0) return undefined;
  return (
    <div>
      <ul aria-label={t('after.written')} className="divide-y rounded-lg border bg-surface">
        {paths.slice(0, MAX_FILES).map((path) => (
          <li key={path} className="flex items-center gap-2 px-3 py-1.5">
            <FileIcon name={nameOf(path)} />
            <span className="flex min-w-0 grow flex-wrap items-baseline gap-x-2">
              <bdi className="max-w-full truncate font-medium">{toShownLine(nameOf(path))}</bdi>
              <span className="min-w-0 truncate text-xs text-ink-faint">
                {toShownLine(withoutMount(parentOf(path)))}
              </span>
            </span>
            <Button
              size="sm"
              aria-label={`${t('action.open')} ${toShownLine(nameOf(path))}`}
              onClick={() => openFile(projectId, path, { takesFocus: true })}
            >
              {t('action.open')}
            </Button>
          </li>
        ))}
      </ul>
      {more > 0 ? (
        <Button kind="quiet" size="sm" onClick={onMore} className="mt-1">
          {t('after.more', { count: more })}
        </Button>
      ) : undefined}
    </div>
  );
}

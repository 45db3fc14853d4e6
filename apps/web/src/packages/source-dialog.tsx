/**
 * A module or skills of another tool, converted and not installed yet: what was found, how certain it is, what to check, what the
 * text asks for. Its graphs can be opened and all of it rehearsed, or tried as a kind of model, before it is installed.
 */
import '../i18n/package-texts.ts';
import type { ImportRehearsal, ShownImport } from '@crewagent/protocol/api/imports';
import type { ReaderKind } from '@crewagent/protocol/reader-trials';
import { useRef, useState } from 'react';
import { useApi } from '../api/api-context.tsx';
import { useTranslation } from '../i18n/use-translation.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/errors/error-note.tsx';
import { Dialog } from '../ui/overlays/dialog.tsx';
import { toShownLine } from '../ui/sanitize-text.ts';
import { useAction } from '../ui/use-action.ts';
import { ReaderButtons, RehearsalProgress, RehearsalReport } from './import-rehearsal.tsx';
import { useInstalled } from './install/use-installed.ts';
import { Findings, Needs } from './package-contents.tsx';
import { SourceReport, SourceWorkflows } from './source-report.tsx';

interface SourceDialogProps {
  readonly staged: ShownImport;
  readonly onClose: () => void;
  readonly onInstalled: () => void;
}

export function SourceDialog({ staged, onClose, onInstalled }: SourceDialogProps) {
  const { t } = useTranslation();
  const { imports } = useApi();
  const { importId, report, inspected } = staged;
  const { installImport } = useInstalled();
  const [rehearsal, setRehearsal] = useState<ImportRehearsal>();
  const stopper = useRef<AbortController>(undefined);
  const rehearse = useAction(async (as?: ReaderKind) => {
    const controller = new AbortController();
    stopper.current = controller;
    const { signal } = controller;
    setRehearsal(undefined);
    try {
      setRehearsal(await imports.rehearse({ importId, query: as ? { as } : {} }, { signal }));
    } catch (error) {
      // The person stopped it.
      if (!signal.aborted) throw error;
    }
  });
  const stop = (): void => stopper.current?.abort();
  const install = useAction(async () => {
    await installImport(importId);
    onInstalled();
  });
  const cancel = (): void => {
    stop();
    // A cancelled import is deleted; if that fails, the server deletes it when it closes.
    void imports.discard({ importId }).catch(() => undefined);
    onClose();
  };
  const eras = report.source.eras.map(({ era }) => t(`import.eras.${era}`)).join(', ');
  const canInstall = inspected.report.ok;
  return (
    <Dialog
      title={toShownLine(report.package.name)}
      description={t('import.convertedFrom', { name: toShownLine(report.source.name), eras })}
      onClose={cancel}
      footer={
        <>
          <Button onClick={cancel}>{t('action.cancel')}</Button>
          {rehearse.isBusy ? (
            <Button onClick={stop}>{t('import.stopRehearsal')}</Button>
          ) : (
            <Button disabled={!canInstall} onClick={() => rehearse.run()}>
              {t('import.rehearse')}
            </Button>
          )}
          {canInstall ? (
            <Button kind="primary" isBusy={install.isBusy} onClick={() => install.run()}>
              {t('packages.install')}
            </Button>
          ) : undefined}
        </>
      }
    >
      <section
        aria-label={t('import.report')}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard
        tabIndex={0}
        className="flex flex-col gap-5 rounded-md pt-1.5"
      >
        <ErrorNote issue={install.issue ?? rehearse.issue} />
        {rehearse.isBusy ? <RehearsalProgress importId={importId} /> : undefined}
        <div role="status" className={rehearsal ? undefined : 'absolute'}>
          {rehearsal ? <RehearsalReport rehearsal={rehearsal} /> : undefined}
        </div>
        <SourceReport report={report} />
        <SourceWorkflows importId={importId} report={report} hasGraph={canInstall} />
        {canInstall ? (
          <ReaderButtons isDisabled={rehearse.isBusy} onTry={(as) => rehearse.run(as)} />
        ) : undefined}
        {inspected.contents ? <Needs contents={inspected.contents} /> : undefined}
        {inspected.report.errors.length + inspected.report.warnings.length > 0 ? (
          <Findings report={inspected.report} />
        ) : undefined}
      </section>
    </Dialog>
  );
}

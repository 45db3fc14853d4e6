/** Shows what a package contains and needs before it is installed; a broken package shows why and cannot be installed. */
import '../i18n/package-texts.ts';
import type { InspectedPackage } from '@crewagent/protocol/api/packages';
import type { Diagnostic } from '@crewagent/protocol/diagnostics';
import { toPackageTitle } from '@crewagent/protocol/package-title';
import { Workflow } from 'lucide-react';
import { useState } from 'react';
import { usePackages } from '../api/queries.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/errors/error-note.tsx';
import { Note } from '../ui/note.tsx';
import { Dialog } from '../ui/overlays/dialog.tsx';
import { useToasts } from '../ui/overlays/toast-store.ts';
import { toShownLine, toShownText } from '../ui/sanitize-text.ts';
import { useAction } from '../ui/use-action.ts';
import { type PackageSource, useInstalled } from './install/use-installed.ts';
import { FactList, useAboutFacts } from './package-about.tsx';
import { AgentList, Findings, Needs } from './package-contents.tsx';
import { Changes, isOtherSigner, SignerWarning, useSignerFact } from './package-signer.tsx';

interface ImportDialogProps {
  readonly source: PackageSource;
  readonly inspected: InspectedPackage;
  readonly onClose: () => void;
  readonly onInstalled: () => void;
}

export function ImportDialog({ source, inspected, onClose, onInstalled }: ImportDialogProps) {
  const { t } = useTranslation();
  const { report, contents, archive, changes } = inspected;
  const [acceptsSigner, setAcceptsSigner] = useState(false);
  const { install } = useInstalled();
  const { data: installed = [] } = usePackages();
  const keep = useAction(async () => {
    await install(source, { sha256: archive?.hash, acceptsSigner });
    onInstalled();
  });
  const fileName = toShownLine(typeof source === 'string' ? source : source.name);
  const others = installed.filter(({ name }) => name === contents?.name);
  const canInstall = report.ok && contents !== undefined;
  return (
    <Dialog
      title={contents ? toShownLine(toTitle(contents)) : t('packages.refused')}
      description={
        contents
          ? t('packages.lookedAt', { version: toShownLine(contents.version), file: fileName })
          : fileName
      }
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{t(canInstall ? 'action.cancel' : 'action.close')}</Button>
          {canInstall ? (
            <Button
              kind="primary"
              isBusy={keep.isBusy}
              disabled={isOtherSigner(archive?.signer) && !acceptsSigner}
              onClick={() => keep.run()}
            >
              {t('packages.install')}
            </Button>
          ) : undefined}
        </>
      }
    >
      <section
        aria-label={t('packages.contents')}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable with the keyboard
        tabIndex={0}
        className="flex flex-col gap-5 rounded-md pt-1.5"
      >
        {canInstall ? undefined : <Refused report={report} />}
        {contents?.description ? (
          <p className="text-ink-soft wrap-anywhere">{toShownText(contents.description)}</p>
        ) : undefined}
        {canInstall && archive && isOtherSigner(archive.signer) ? (
          <SignerWarning signer={archive.signer} isAccepted={acceptsSigner} onAccept={setAcceptsSigner} />
        ) : undefined}
        {contents ? <AboutPackage contents={contents} archive={archive} /> : undefined}
        {canInstall && others.length > 0 ? (
          <Note level="info" title={t('packages.otherVersions')}>
            {t('packages.otherVersionsText', {
              versions: others.map(({ version }) => toShownLine(version)).join(', '),
            })}
          </Note>
        ) : undefined}
        {canInstall && changes ? <Changes changes={changes} /> : undefined}
        {contents ? <Needs contents={contents} /> : undefined}
        {contents ? <AgentList agents={contents.agents} /> : undefined}
        {contents ? <WorkflowNames workflows={contents.workflows} /> : undefined}
        {report.errors.length + report.warnings.length > 0 ? <Findings report={report} /> : undefined}
        <ErrorNote issue={keep.issue} />
      </section>
    </Dialog>
  );
}

type Contents = NonNullable<InspectedPackage['contents']>;

function toTitle({ name, about, workflows }: Contents): string {
  return toPackageTitle({ name, title: about?.title }, workflows);
}

function AboutPackage({
  contents: { name, about, author },
  archive,
}: Pick<InspectedPackage, 'archive'> & { readonly contents: Contents }) {
  const { t } = useTranslation();
  const signer = useSignerFact(archive?.signer ?? { status: 'unsigned' });
  const facts = [{ name: t('packages.name'), value: toShownLine(name) }, ...useAboutFacts(about, author)];
  const fingerprint = archive && [
    signer,
    { name: t('packages.hash'), value: archive.hash.slice(0, 16), title: archive.hash },
  ];
  return <FactList facts={[...facts, ...(fingerprint ?? [])]} />;
}

/** For a file that is not a package, advice replaces the findings. */
function Refused({ report: { errors, warnings } }: Pick<InspectedPackage, 'report'>) {
  const { t } = useTranslation();
  const show = useToasts((toasts) => toasts.show);
  const copy = useAction(async () => {
    await navigator.clipboard.writeText([...errors, ...warnings].map(toFindingText).join('\n\n'));
    show(t('packages.copiedFindings'));
  });
  return errors.some(({ code }) => code === 'NOT_AN_ARCHIVE') ? (
    <Note level="error" title={t('packages.isNone')} advice={t('packages.isNoneAdvice')} />
  ) : (
    <Note
      level="error"
      title={t('packages.refusedTitle')}
      advice={t('packages.refusedAdvice')}
      actions={
        <Button size="sm" onClick={() => copy.run()}>
          {t(copy.issue ? 'text.notCopied' : 'packages.copyFindings')}
        </Button>
      }
    >
      {t('packages.refusedText', { count: errors.length })}
    </Note>
  );
}

/** As `crewagent validate` reports it: the author may read another language than this page. */
function toFindingText({ severity, code, file, line, message, fix }: Diagnostic): string {
  return `${severity} ${code} ${file}${line === undefined ? '' : `:${line}`}\n${message}\n${fix}`;
}

type ShownWorkflow = NonNullable<InspectedPackage['contents']>['workflows'][number];

/** Names of the workflows, the entry workflow first. */
function WorkflowNames({ workflows }: { readonly workflows: readonly ShownWorkflow[] }) {
  const { t } = useTranslation();
  return (
    <section>
      <h2 className="mb-1.5 font-semibold">{t('packages.workflows', { count: workflows.length })}</h2>
      <ul aria-label={t('packages.workflowList')} className="flex flex-col gap-1.5">
        {workflows.map(({ ref, title, description, nodes }) => (
          <li key={ref} className="flex items-start gap-2.5">
            <Workflow className="mt-0.5 size-4 shrink-0 text-ink-faint" />
            <span className="min-w-0 wrap-anywhere">
              <span className="font-medium">{toShownLine(title)}</span>
              <span className="text-ink-faint"> · {t('new.steps', { count: nodes })}</span>
              {description ? (
                <span className="block text-sm text-ink-soft">{toShownLine(description)}</span>
              ) : undefined}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

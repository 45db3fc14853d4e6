/** One package: description, needs, contents and validation result. */

import '../i18n/package-texts.ts';
import { ApiError } from '@crewagent/protocol/api/client';
import { toPackageTitle } from '@crewagent/protocol/package-title';
import { ArrowLeft, PackageX } from 'lucide-react';
import { type ShownPackage, usePackage, useProjects, useValidation } from '../api/queries.ts';
import { formatDateTime } from '../i18n/format.ts';
import { type Translation, useTranslation } from '../i18n/use-translation.ts';
import { openInFront } from '../navigation/open-in-front.ts';
import { navigate } from '../navigation/router.ts';
import { Button } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { ErrorNote } from '../ui/errors/error-note.tsx';
import { toErrorLine } from '../ui/errors/error-texts.ts';
import { toShownLine, toShownText } from '../ui/sanitize-text.ts';
import { Skeleton } from '../ui/skeleton.tsx';
import { FactList, useAboutFacts } from './package-about.tsx';
import { AgentList, Findings, Needs } from './package-contents.tsx';
import { useSignerFact } from './package-signer.tsx';
import { RemovePackage } from './remove-package.tsx';
import { WorkflowPreview } from './workflow-preview.tsx';

export function PackageDetails({ hash }: { readonly hash: string }) {
  const translation = useTranslation();
  const { t } = translation;
  const { data: shown, error } = usePackage(hash);
  const back = (
    <Button
      size="sm"
      kind="quiet"
      icon={<ArrowLeft className="size-3.5" />}
      className="-ms-2"
      onClick={() => navigate({ name: 'packages' })}
    >
      {t('packages.all')}
    </Button>
  );
  if (error) {
    return (
      <>
        {back}
        <EmptyState icon={<PackageX />} title={t('packages.notThere')}>
          <span className="wrap-anywhere">{toMissing(error, translation)}</span>
        </EmptyState>
      </>
    );
  }
  return (
    <>
      {back}
      {shown ? <Details shown={shown} /> : <Skeleton className="mt-3 h-64" />}
    </>
  );
}

/** For a missing package the title says everything; only the advice is added. */
function toMissing(error: Error, translation: Translation): string {
  const isNotInstalled = error instanceof ApiError && error.code === 'PACKAGE_NOT_FOUND';
  return isNotInstalled ? translation.t('problem.PACKAGE_NOT_FOUND.advice') : toErrorLine(error, translation);
}

function Details({ shown }: { readonly shown: ShownPackage }) {
  const { t } = useTranslation();
  const { package: pkg, author, about, source, signer, agents, workflows } = shown;
  const { hash, name, version, description, installedAt } = pkg;
  const { data: report, error } = useValidation(hash);
  const facts = [
    { name: t('packages.version'), value: toShownLine(`${name} ${version}`) },
    ...useAboutFacts(about, author),
    useSignerFact(signer),
    ...(source === undefined ? [] : [{ name: t('packages.source'), value: toShownLine(source) }]),
    { name: t('packages.installedAt'), value: formatDateTime(installedAt) },
    { name: t('packages.hash'), value: hash.slice(0, 16), title: hash },
  ];
  const ownTitle = toPackageTitle(pkg, workflows);
  const title = toShownLine(ownTitle);
  return (
    <>
      <header className="mt-2 flex flex-wrap items-start gap-x-4 gap-y-3">
        <div className="min-w-60 grow basis-0">
          <h1 className="text-xl font-semibold wrap-anywhere">{title}</h1>
          {description ? (
            <p className="mt-1 max-w-2xl text-ink-soft wrap-anywhere">{toShownText(description)}</p>
          ) : undefined}
        </div>
        <div className="flex flex-wrap items-center gap-2">
          <RemovePackage hash={hash} name={title} />
          <BeginWithPackage hash={hash} />
        </div>
      </header>
      <div className="mt-4 border-y py-4">
        <FactList facts={facts} />
      </div>
      <div className="mt-6 flex flex-col gap-8">
        <Needs contents={shown} />
        <WorkflowPreview {...{ hash, workflows }} said={{ title: ownTitle, description }} />
        <AgentList agents={agents} />
        <ErrorNote issue={error} />
        {report ? <Findings report={report} /> : error ? undefined : <Skeleton className="h-16" />}
      </div>
    </>
  );
}

/** Starts something with the package, in the last project or in one that is chosen. */
function BeginWithPackage({ hash: packageHash }: { readonly hash: string }) {
  const { t } = useTranslation();
  const { data: projects, isPending } = useProjects();
  // Projects are sorted by last use.
  const last = projects?.find(({ exists }) => exists);
  return (
    <Button
      kind="primary"
      disabled={isPending}
      onClick={() =>
        last
          ? openInFront({ name: 'project', projectId: last.projectId, packageHash })
          : navigate({ name: 'start' })
      }
    >
      {t('packages.begin')}
    </Button>
  );
}

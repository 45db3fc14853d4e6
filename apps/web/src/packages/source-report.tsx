/** The report of an import in short: counts by certainty, what to check, what the text asks for, what was left out. */
import '../i18n/package-texts.ts';
import type { ImportReport } from '@crewagent/protocol/import-report';
import { type ReactNode, useState } from 'react';
import { FOREVER, useApiQuery } from '../api/api-context.tsx';
import { useTranslation } from '../i18n/use-translation.ts';
import { Badge, type Tone } from '../ui/badge.tsx';
import { ErrorNote } from '../ui/errors/error-note.tsx';
import { Facts } from '../ui/facts.tsx';
import { Fold } from '../ui/fold.tsx';
import { toShownLine, toShownText } from '../ui/sanitize-text.ts';
import { GraphPreview } from './graph-preview.tsx';

export function SourceReport({ report }: { readonly report: ImportReport }) {
  const { t } = useTranslation();
  const { totals, attention, capabilities, findings, inputs, source } = report;
  const { workflows, agents, files } = report.package;
  const contents = [
    t('packages.workflows', { count: workflows }),
    t('packages.agents', { count: agents }),
    t('import.files', { count: files }),
  ];
  const licence = source.licence === undefined ? t('import.noLicence') : toShownLine(source.licence);
  const questions = inputs.map(({ name }) => toShownLine(name)).join(', ');
  return (
    <>
      <Facts
        className="gap-x-4 sm:gap-y-1.5 sm:grid-cols-[8rem_minmax(0,1fr)] max-sm:[&_dd]:mb-2"
        facts={[
          [t('import.foundIn'), source.eras.map(({ evidence }) => toShownLine(evidence)).join(', ')],
          [t('import.contains'), contents.join(', ')],
          [t('import.edges'), t('import.certainties', { ...totals.edges })],
          [t('import.other'), t('import.certainties', { ...totals.constructs })],
          [t('import.licence'), licence],
          inputs.length > 0 && [t('import.questions'), questions],
        ]}
      />
      <Lines title={t('import.check')} isMarked>
        {attention.map((line) => (
          <span key={line} lang="en">
            {toShownText(line)}
          </span>
        ))}
      </Lines>
      <Lines title={t('import.notCarriedOver')}>
        {(report.notCarriedOver ?? []).map(({ what, count, of, examples: [first] }) => (
          <span key={what}>
            {of === undefined
              ? t(`import.lost.${what}`, { count })
              : t('import.lostOf', { text: t(`import.lost.${what}`, { count }), of })}
            {first ? (
              <span className="text-ink-faint">
                {' · '}
                <code className="font-mono text-sm">{toShownLine(first.file)}</code>
              </span>
            ) : undefined}
          </span>
        ))}
      </Lines>
      <Lines title={t('import.capabilities')}>
        {capabilities.map(({ capability, count, fallback }) => (
          <span key={capability}>
            {t(`import.capability.${capability}`)}
            <span className="text-ink-faint">
              {' · '}
              {t('import.places', { count })}
              {fallback?.text === undefined ? '' : ` · ${t('import.fallback')} `}
            </span>
            {fallback?.text === undefined ? undefined : (
              <q className="text-ink-soft">{toShownLine(fallback.text)}</q>
            )}
          </span>
        ))}
      </Lines>
      <Lines title={t('import.leftOut')}>
        {findings.slice(0, MAX_FINDINGS).map(({ file, message }) => (
          <span key={`${file} ${message}`}>
            <code className="font-mono text-sm">{toShownLine(file)}</code>{' '}
            <span lang="en" className="text-ink-soft">
              {toShownText(message)}
            </span>
          </span>
        ))}
        {findings.length > MAX_FINDINGS
          ? [<span key="more">{t('import.more', { count: findings.length - MAX_FINDINGS })}</span>]
          : []}
      </Lines>
    </>
  );
}

const MAX_FINDINGS = 20;

interface LinesProps {
  readonly title: string;
  readonly isMarked?: boolean;
  readonly children: readonly (ReactNode | readonly ReactNode[])[] | ReactNode;
}

function Lines({ title, isMarked = false, children }: LinesProps) {
  const lines = [children].flat(2).filter(Boolean);
  if (lines.length === 0) return undefined;
  return (
    <section>
      <h2 className="mb-1.5 font-semibold">{title}</h2>
      <ul
        aria-label={title}
        className={
          isMarked
            ? 'flex list-disc flex-col gap-1 rounded-lg border border-line-strong bg-sunken py-2.5 ps-7 pe-3'
            : 'flex list-disc flex-col gap-1 ps-5'
        }
      >
        {lines.map((line, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a report does not change
          <li key={index} className="wrap-anywhere">
            {line}
          </li>
        ))}
      </ul>
    </section>
  );
}

type ImportedWorkflow = ImportReport['workflows'][number];

interface SourceWorkflowsProps {
  readonly importId: string;
  readonly report: ImportReport;
  /** Only a valid package has graphs to show. */
  readonly hasGraph: boolean;
}

/** The converted workflows: each opens to its graph, and its edges with the lines they are based on. */
export function SourceWorkflows({ importId, report, hasGraph }: SourceWorkflowsProps) {
  const { t } = useTranslation();
  const [openId, setOpenId] = useState<string>();
  const { workflows } = report;
  return (
    <section>
      <h2 className="mb-1.5 font-semibold">{t('packages.workflows', { count: workflows.length })}</h2>
      <ul aria-label={t('packages.workflowList')} className="flex flex-col gap-0.5">
        {workflows.map((workflow) => (
          <li key={workflow.id}>
            <Fold
              isOpen={openId === workflow.id}
              onToggle={() => setOpenId(openId === workflow.id ? undefined : workflow.id)}
              summary={
                <span className="min-w-0 wrap-anywhere">
                  <span className="font-medium text-ink">{toShownLine(workflow.id)}</span>
                  <span className="text-ink-faint">
                    {' · '}
                    {t(`import.kinds.${workflow.kind}`)} · {t('new.steps', { count: workflow.nodes })}
                  </span>
                  {workflow.verdict === undefined ? undefined : (
                    <span className="ms-2">
                      <Badge tone={VERDICT_TONES[workflow.verdict]}>
                        {t(`import.verdicts.${workflow.verdict}`)}
                      </Badge>
                    </span>
                  )}
                </span>
              }
            >
              {() => (
                <>
                  {hasGraph ? <SourceGraph importId={importId} workflow={workflow.id} /> : undefined}
                  <Edges workflow={workflow} />
                </>
              )}
            </Fold>
          </li>
        ))}
      </ul>
    </section>
  );
}

function SourceGraph({ importId, workflow }: { readonly importId: string; readonly workflow: string }) {
  const { data: graph, error } = useApiQuery(
    ['import-graph', importId, workflow],
    ({ imports }, call) => imports.graph({ importId, query: { workflow } }, call),
    { ...FOREVER, retry: false },
  );
  if (error) return <ErrorNote issue={error} />;
  return <GraphPreview graph={graph} className="mb-3 h-60 overflow-hidden rounded-lg border" />;
}

const VERDICT_TONES = { faithful: 'ok', usable: 'warn', 'needs-work': 'bad' } as const;

const TONES: Readonly<Record<string, Tone>> = { exact: 'ok', inferred: 'warn', dropped: 'bad' };

function Edges({ workflow }: { readonly workflow: ImportedWorkflow }) {
  const { t } = useTranslation();
  return (
    <ul aria-label={t('import.edges')} className="flex flex-col gap-2">
      {workflow.edges.map(({ from, to, label, certainty, evidence: [first] }) => (
        <li key={`${from} ${to} ${label}`} className="min-w-0">
          <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
            <span className="min-w-0 wrap-anywhere">
              {toShownLine(from)} → {toShownLine(to)}
              <span className="text-ink-faint"> · {toShownLine(label)}</span>
            </span>
            <Badge tone={TONES[certainty] ?? 'neutral'}>{t(`import.certainty.${certainty}`)}</Badge>
          </p>
          {first ? (
            <p className="text-sm text-ink-faint wrap-anywhere">
              <code className="font-mono">
                {toShownLine(first.file)}
                {first.line === undefined ? '' : `:${first.line}`}
              </code>{' '}
              {first.text === undefined ? undefined : <q>{toShownLine(first.text).slice(0, 240)}</q>}
            </p>
          ) : undefined}
        </li>
      ))}
    </ul>
  );
}

/** Workflows of a package: one at a time as a graph and as a list with expandable steps. */

import '../i18n/package-texts.ts';
import type { ShownNode } from '@crewagent/protocol/api/packages';
import { useState } from 'react';
import { type ShownPackage, useGraph, useNode } from '../api/queries.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { AgentName } from '../run/agent-name.tsx';
import { isPlainSequence } from '../run/progress/to-progress.ts';
import { ErrorNote } from '../ui/errors/error-note.tsx';
import { Fold } from '../ui/fold.tsx';
import { SelectField } from '../ui/forms/simple-fields.tsx';
import { Markdown, withoutFrontmatter } from '../ui/markdown/markdown.tsx';
import { toShownLine } from '../ui/sanitize-text.ts';
import { Skeleton } from '../ui/skeleton.tsx';
import { GraphPreview } from './graph-preview.tsx';
import { NodePrompt } from './node-prompt.tsx';

interface WorkflowPreviewProps {
  readonly hash: string;
  /** The entry workflow first. */
  readonly workflows: ShownPackage['workflows'];
  /** What the screen says about the package. */
  readonly said: { readonly title: string; readonly description?: string | undefined };
}

export function WorkflowPreview({ hash, workflows, said }: WorkflowPreviewProps) {
  const { t } = useTranslation();
  const [chosen, setChosen] = useState<string>();
  const [openId, setOpenId] = useState<string>();
  const shown = workflows.find(({ ref }) => ref === chosen) ?? workflows[0];
  const { data: graph, error } = useGraph(hash, shown?.ref);
  const isOf = graph !== undefined && graph.workflow.ref === shown?.ref;
  if (!shown) return undefined;
  return (
    <section>
      <div className="mb-2.5 flex flex-wrap items-end gap-3">
        <h2 className="grow font-semibold">{t('packages.workflows', { count: workflows.length })}</h2>
        {workflows.length > 1 ? (
          <div className="w-full max-w-80">
            <SelectField
              label={t('packages.workflow')}
              value={shown.ref}
              onChoose={(ref) => {
                setChosen(ref);
                setOpenId(undefined);
              }}
              options={workflows.map(({ ref, title }) => ({ value: ref, label: toShownLine(title) }))}
            />
          </div>
        ) : undefined}
      </div>
      <p className="mb-2.5 text-ink-soft wrap-anywhere empty:hidden">
        {workflows.length === 1 && shown.title === said.title ? undefined : (
          <span className="me-2 font-medium text-ink">{toShownLine(shown.title)}</span>
        )}
        {shown.description === said.description ? undefined : toShownLine(shown.description ?? '')}
      </p>
      <ErrorNote issue={error} />
      {isOf ? (
        <div className="overflow-hidden rounded-lg border bg-surface">
          {isPlainSequence(graph) ? undefined : (
            <GraphPreview
              key={shown.ref}
              graph={graph}
              chosenId={openId}
              onOpenNode={setOpenId}
              className="h-72 border-b"
            />
          )}
          <StepList
            key={shown.ref}
            hash={hash}
            workflow={shown.ref}
            nodes={graph.nodes}
            openId={openId}
            onOpen={setOpenId}
          />
        </div>
      ) : error ? undefined : (
        <Skeleton className="h-72" />
      )}
    </section>
  );
}

interface StepListProps {
  readonly hash: string;
  readonly workflow: string;
  readonly nodes: readonly ShownNode[];
  readonly openId: string | undefined;
  readonly onOpen: (nodeId: string | undefined) => void;
}

/** Steps of a workflow in order; each expands to its text. */
export function StepList({ hash, workflow, nodes, openId, onOpen }: StepListProps) {
  const { t } = useTranslation();
  return (
    <ol aria-label={t('packages.steps')} className="flex flex-col gap-0.5 p-2">
      {nodes.map((node, index) => (
        <li key={node.id}>
          <Fold
            isOpen={node.id === openId}
            onToggle={() => onOpen(node.id === openId ? undefined : node.id)}
            summary={
              <>
                <span className="w-5 shrink-0 text-end text-ink-faint tabular-nums">{index + 1}</span>
                <span className="min-w-0 grow truncate text-ink">{toShownLine(node.title)}</span>
                <span className="shrink-0 text-sm text-ink-faint">
                  {/* Most are plain steps. */}
                  {node.type === 'step' ? undefined : t(`nodeType.${node.type}`)}
                  {node.type !== 'step' && node.agentId ? ' · ' : undefined}
                  {node.agentId ? <AgentName packageHash={hash} agentId={node.agentId} /> : undefined}
                </span>
              </>
            }
          >
            {() => <StepText hash={hash} workflow={workflow} node={node} />}
          </Fold>
        </li>
      ))}
    </ol>
  );
}

interface StepTextProps {
  readonly hash: string;
  readonly workflow: string;
  readonly node: ShownNode;
}

function StepText({ hash, workflow, node: { id, inputs, outputs } }: StepTextProps) {
  const { t } = useTranslation();
  const { data: step, error } = useNode(hash, workflow, id);
  const files = [
    [t('packages.reads'), inputs],
    [t('packages.writes'), outputs],
  ] as const;
  return (
    <div className="flex flex-col gap-3 py-1 pe-3">
      <ErrorNote issue={error} />
      {files.map(([label, paths]) =>
        paths.length === 0 ? undefined : (
          <p key={label} className="text-sm wrap-anywhere">
            <span className="text-ink-faint">{label}</span>{' '}
            <code className="font-mono">{paths.map(toShownLine).join(', ')}</code>
          </p>
        ),
      )}
      {step ? (
        <Markdown text={withoutFrontmatter(step.text)} />
      ) : error ? undefined : (
        <Skeleton className="h-16" />
      )}
      <NodePrompt hash={hash} workflow={workflow} nodeId={id} />
    </div>
  );
}

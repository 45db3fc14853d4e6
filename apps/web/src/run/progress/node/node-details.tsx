/** Details of a node: agent, usage, inputs and outputs, transitions, and the text of the step. */

import type { Story } from '@crewagent/protocol/story/story';
import { ArrowLeft } from 'lucide-react';
import { type RefObject, useEffect, useMemo, useRef } from 'react';
import { useNode } from '../../../api/inspector-queries.ts';
import { useTranslation } from '../../../i18n/use-translation.ts';
import { Button } from '../../../ui/button.tsx';
import { ErrorNote } from '../../../ui/errors/error-note.tsx';
import { Markdown } from '../../../ui/markdown/markdown.tsx';
import { withoutFrontmatter } from '../../../ui/markdown/without-frontmatter.ts';
import { toShownLine } from '../../../ui/sanitize-text.ts';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { useWholeStory } from '../../load-earlier.ts';
import type { ProgressNode } from '../to-progress.ts';
import { NodeFacts } from './node-facts.tsx';
import { NodeFiles } from './node-file-list.tsx';
import { NodeMark } from './node-mark.tsx';
import { NodePart } from './node-part.tsx';
import { NodeTurns } from './node-turns.tsx';
import { NodeValues } from './node-values.tsx';
import { NodeWays } from './node-ways.tsx';
import { NodeWho } from './node-who.tsx';
import { toNodeDetails } from './to-node-details.ts';

interface NodeDetailsProps {
  readonly projectId: string;
  readonly view: Readonly<Story>;
  readonly node: ProgressNode;
  readonly onOpenNode: (nodeId: string) => void;
  readonly onClose: () => void;
}

export function NodeDetails({ projectId, view, node, onOpenNode, onClose }: NodeDetailsProps) {
  const { t } = useTranslation();
  const { package: pkg, workflow, lastSeq } = view;
  const shown = useNode(
    pkg && workflow ? { packageHash: pkg.hash, workflow: workflow.ref, nodeId: node.id } : undefined,
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: the view is mutable; its seq changes with it
  const details = useMemo(() => toNodeDetails(view, node.id), [lastSeq, view.earlier, node.id]);
  useWholeStory(view);
  const section = useRef<HTMLElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  useCloseWithEscape(section, onClose);
  const titleOf = (id: string): string => view.nodes.find((other) => other.id === id)?.title ?? id;
  const files = { projectId, view, progress: node.progress };
  return (
    <section ref={section} aria-label={toShownLine(node.title)} className="flex flex-col gap-4 px-3 py-2.5">
      <header>
        <Button
          kind="quiet"
          size="sm"
          icon={<ArrowLeft aria-hidden="true" className="size-3.5" />}
          onClick={onClose}
          className="-ms-2"
        >
          {t('inspector.node.back')}
        </Button>
        <h3
          ref={heading}
          tabIndex={-1}
          className="mt-1 flex items-start gap-2 text-lg font-semibold outline-none"
        >
          <span className="mt-1">
            <NodeMark node={node} />
          </span>
          <span className="min-w-0 wrap-anywhere">{toShownLine(node.title)}</span>
        </h3>
        <p className="mt-0.5 text-sm text-ink-faint">
          <NodeWho node={node} packageHash={pkg?.hash} extra={[t(`progress.${node.progress}`)]} hasTitle />
        </p>
      </header>
      <NodeFacts details={details} progress={node.progress} />
      <NodeWays ways={details.ways} titleOf={titleOf} onOpenNode={onOpenNode} />
      {shown.error ? <ErrorNote issue={shown.error} /> : undefined}
      {shown.isPending && shown.isFetching ? <Skeleton className="h-24" /> : undefined}
      {shown.data ? (
        <>
          <NodeFiles {...files} use="inputs" written={shown.data.node.inputs} />
          <NodeFiles {...files} use="outputs" written={shown.data.node.outputs} />
          <NodeValues
            names={shown.data.node.setsVariables}
            values={view.state.variables}
            progress={node.progress}
          />
        </>
      ) : undefined}
      {details.turns.length > 0 ? (
        <NodePart title={t('inspector.node.turns')}>
          <NodeTurns turns={details.turns} />
        </NodePart>
      ) : undefined}
      {shown.data ? (
        <NodePart title={t('inspector.node.text')}>
          <NodeText text={shown.data.text} />
        </NodePart>
      ) : undefined}
    </section>
  );
}

/** The text of the step without its frontmatter. */
function NodeText({ text }: { readonly text: string }) {
  return (
    <div className="rounded-lg border bg-surface px-3 py-2">
      <Markdown text={withoutFrontmatter(text)} />
    </div>
  );
}

/**
 * Escape closes only the element that contains the focus. A sheet around it listens on the document, so the event is marked as
 * handled.
 */
function useCloseWithEscape(part: RefObject<HTMLElement | null>, close: () => void): void {
  const latest = useRef(close);
  latest.current = close;
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape' || event.isComposing || event.defaultPrevented) return;
      if (!part.current?.contains(document.activeElement)) return;
      event.preventDefault();
      latest.current();
    };
    addEventListener('keydown', press, { capture: true });
    return () => removeEventListener('keydown', press, { capture: true });
  }, [part]);
}

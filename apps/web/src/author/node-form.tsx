/** The form of a node: what the graph and the frontmatter of its step say about it. Each field is an edit. */
import type { AuthorNode, AuthorWorkflow } from '@crewagent/protocol/author';
import { isObject } from '@crewagent/protocol/json-object';
import { Flag } from 'lucide-react';
import { useTranslation } from '../i18n/use-translation.ts';
import { Button } from '../ui/button.tsx';
import { SelectField } from '../ui/forms/simple-fields.tsx';
import { Note } from '../ui/note.tsx';
import { toShownLine } from '../ui/sanitize-text.ts';
import { CommittedList, CommittedText } from './committed.tsx';
import { TypeField, titleOf } from './node-dialogs.tsx';
import { ProducesField } from './produces-field.tsx';
import type { Author, Selection } from './use-author.ts';

interface NodeFormProps {
  readonly author: Author;
  readonly workflow: AuthorWorkflow;
  readonly node: AuthorNode;
  readonly onSelect: (selection: Selection) => void;
}

export function NodeForm({ author, workflow, node, onSelect }: NodeFormProps) {
  const { t } = useTranslation();
  const at = { graph: workflow.graph, nodeId: node.id };
  const setNode = (fields: Extract<Parameters<Author['edit']>[0], { kind: 'setNode' }>['fields']): void =>
    void author.edit({ kind: 'setNode', ...at, fields });
  const setStep = (keys: Readonly<Record<string, unknown>>): void =>
    void author.edit({ kind: 'setStep', ...at, keys: { ...keys } });
  const isEntry = workflow.entryNodeId === node.id;
  return (
    <div className="flex flex-col gap-3.5 p-4">
      <div className="flex items-center gap-2">
        <code className="min-w-0 grow truncate font-mono text-sm text-ink-faint">{toShownLine(node.id)}</code>
        <Button
          size="sm"
          icon={<Flag className="size-3.5" />}
          disabled={isEntry}
          onClick={() => void author.edit({ kind: 'setEntry', ...at })}
        >
          {t(isEntry ? 'author.isStart' : 'author.makeStart')}
        </Button>
      </div>
      <CommittedText
        label={t('author.nodeTitle')}
        value={node.title ?? ''}
        onCommit={(title) => setNode({ title: title.trim() || null })}
      />
      <TypeField type={node.type} onChange={(type) => setNode({ type })} />
      {node.type === 'subworkflow' && node.step ? (
        <CallField {...{ author, workflow }} called={node.step.subworkflow} onChange={setStep} />
      ) : undefined}
      <AgentField author={author} node={node} onChange={(agentId) => setNode({ agentId })} />
      <CommittedList
        label={t('author.inputs')}
        hint={t('author.listHint')}
        isMono
        values={node.inputs}
        onCommit={(inputs) => setNode({ inputs: inputs.length === 0 ? null : inputs })}
      />
      <CommittedList
        label={t('author.outputs')}
        isMono
        values={node.outputs}
        onCommit={(outputs) => setNode({ outputs: outputs.length === 0 ? null : outputs })}
      />
      {node.step ? (
        <>
          <CommittedList
            label={t('author.variables')}
            isMono
            values={node.setsVariables}
            onCommit={(names) => setStep({ setsVariables: names.length === 0 ? null : names })}
          />
          <WaitsField waits={node.step.waits} onChange={(waits) => setStep({ waits })} />
          <ProducesField produces={node.step.produces} onChange={(produces) => setStep({ produces })} />
        </>
      ) : (
        <Note level="warning" title={t('author.stepUnreadable')}>
          {toShownLine(node.file)}
        </Note>
      )}
      <Ways {...{ workflow, node, onSelect }} />
    </div>
  );
}

interface AgentFieldProps {
  readonly author: Author;
  readonly node: AuthorNode;
  readonly onChange: (agentId: string | null) => void;
}

function AgentField({ author: { model }, node: { agentId = '' }, onChange }: AgentFieldProps) {
  const { t } = useTranslation();
  const ids = model.agents.map(({ id }) => id);
  const all = agentId === '' || ids.includes(agentId) ? ids : [...ids, agentId];
  return (
    <SelectField
      label={t('author.agent')}
      value={agentId}
      onChoose={(id) => onChange(id === '' ? null : id)}
      options={[
        { value: '', label: t('author.noAgent') },
        ...all.map((id) => ({ value: id, label: toShownLine(id) })),
      ]}
    />
  );
}

interface CallFieldProps extends Pick<NodeFormProps, 'author' | 'workflow'> {
  readonly called: unknown;
  readonly onChange: (keys: Readonly<Record<string, unknown>>) => void;
}

/** The workflow that the node calls: another one of the package, or what the step names now. */
function CallField({ author: { model }, workflow, called, onChange }: CallFieldProps) {
  const { t } = useTranslation();
  const folder = folderOf(workflow.document);
  const others = model.workflows
    .filter(({ document }) => document !== workflow.document)
    .map(({ document, title }) => {
      // From the folder of the caller, else from the top of the package.
      const isBelow = document.startsWith(folder);
      const value = isBelow ? `./${document.slice(folder.length)}` : document;
      return { value, names: [value, value.slice(2), document], label: toShownLine(title) };
    });
  const written = typeof called === 'string' ? called : '';
  const found = others.find(({ names }) => names.includes(written));
  return (
    <SelectField
      label={t('author.calls')}
      value={found?.value ?? written}
      onChoose={(subworkflow) => onChange({ subworkflow: subworkflow === '' ? null : subworkflow })}
      options={[
        { value: '', label: t('author.callsNone') },
        ...others.map(({ value, label }) => ({ value, label })),
        ...(written === '' || found ? [] : [{ value: written, label: toShownLine(written) }]),
      ]}
    />
  );
}

/** With the slash at its end; empty for the top of the package. */
function folderOf(file: string): string {
  return file.slice(0, file.lastIndexOf('/') + 1);
}

const WAITS = ['', 'message', 'choice', 'approval'] as const;

interface WaitsFieldProps {
  readonly waits: unknown;
  readonly onChange: (waits: unknown) => void;
}

/** Whom the node waits for: nobody, any message, a choice, an approval. */
function WaitsField({ waits, onChange }: WaitsFieldProps) {
  const { t } = useTranslation();
  const options = isObject(waits) && Array.isArray(waits.options) ? waits.options.map(String) : [];
  const kind = isObject(waits)
    ? (WAITS.find((one) => one === waits.for) ?? 'message')
    : waits === true
      ? 'message'
      : '';
  return (
    <>
      <SelectField
        label={t('author.waits')}
        hint={t('author.waitsHint')}
        value={kind}
        onChoose={(next) => onChange(next === '' ? null : next === 'message' ? true : { for: next })}
        options={WAITS.map((one) => ({
          value: one,
          label: t(`author.waitKinds.${one === '' ? 'none' : one}`),
        }))}
      />
      {kind === 'choice' ? (
        <CommittedList
          label={t('author.options')}
          values={options}
          onCommit={(next) => onChange({ for: 'choice', ...(next.length === 0 ? {} : { options: next }) })}
        />
      ) : undefined}
    </>
  );
}

/** Its edges, to open them. */
function Ways({ workflow, node, onSelect }: Omit<NodeFormProps, 'author'>) {
  const { t } = useTranslation();
  const ways = workflow.edges.flatMap((edge, index) => (edge.from === node.id ? [{ ...edge, index }] : []));
  if (ways.length === 0) return undefined;
  return (
    <section aria-label={t('author.ways')}>
      <h2 className="mb-1.5 text-sm font-medium">{t('author.ways')}</h2>
      <ul className="flex flex-col gap-1">
        {ways.map(({ index, label, to }) => (
          <li key={index}>
            <Button size="sm" kind="quiet" onClick={() => onSelect({ kind: 'edge', index })}>
              {`${toShownLine(label)} → ${titleOf(workflow, to)}`}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Dialogs that add, connect, rename and delete nodes. */
import type { AuthorNode, AuthorWorkflow } from '@crewagent/protocol/author';
import type { NodeType } from '@crewagent/protocol/workflow';
import { useState } from 'react';
import { useTranslation } from '../i18n/use-translation.ts';
import { Checkbox } from '../ui/forms/checkbox.tsx';
import { SelectField, TextField } from '../ui/forms/simple-fields.tsx';
import { AlertDialog } from '../ui/overlays/alert-dialog.tsx';
import { FormDialog } from '../ui/overlays/form-dialog.tsx';
import { toShownLine } from '../ui/sanitize-text.ts';
import { useAction } from '../ui/use-action.ts';
import { type Author, freeId } from './use-author.ts';

interface NodeDialogProps {
  readonly author: Author;
  readonly workflow: AuthorWorkflow;
  readonly onClose: () => void;
  readonly onSelect: (nodeId: string) => void;
}

const ID = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,99}$/;
export const NODE_TYPES: readonly NodeType[] = ['step', 'decision', 'merge', 'end', 'subworkflow'];

/** Words of a title as an id. */
function toId(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 60);
}

export function AddDialog(props: NodeDialogProps & { readonly after: AuthorNode | undefined }) {
  const { author, workflow, after, onClose, onSelect } = props;
  const { t } = useTranslation();
  const [title, setTitle] = useState('');
  const [typedId, setTypedId] = useState<string>();
  const [type, setType] = useState<NodeType>('step');
  const [label, setLabel] = useState(after ? freeLabel(workflow, after.id) : '');
  const proposed = toId(title);
  const isTaken = (one: string): boolean => workflow.nodes.some((node) => node.id === one);
  const id = typedId ?? (proposed === '' || isTaken(proposed) ? freeId(workflow, type) : proposed);
  const issue = useIdIssue(id, isTaken(id));
  const submit = useAction(async () => {
    onClose();
    const isDone = await author.edit({
      ...{ kind: 'addNode', graph: workflow.graph, id, type },
      ...(title.trim() === '' ? {} : { title: title.trim() }),
      ...(after && label.trim() !== '' ? { after: { nodeId: after.id, label: label.trim() } } : {}),
    });
    if (isDone) onSelect(id);
  });
  return (
    <FormDialog
      title={t('author.actions.add')}
      submitLabel={t('author.add')}
      submit={submit}
      canSubmit={issue === undefined}
      onClose={onClose}
    >
      <TextField label={t('author.nodeTitle')} data-autofocus value={title} onChange={setTitle} />
      <TypeField type={type} onChange={setType} />
      <IdField value={id} issue={issue} onChange={setTypedId} />
      {after ? (
        <TextField
          label={t('author.after', { title: toShownLine(after.title ?? after.id) })}
          value={label}
          onChange={setLabel}
        />
      ) : undefined}
    </FormDialog>
  );
}

export function TypeField({
  type,
  onChange,
}: {
  readonly type: NodeType;
  readonly onChange: (type: NodeType) => void;
}) {
  const { t } = useTranslation();
  return (
    <SelectField
      label={t('author.type')}
      value={type}
      onChoose={(chosen) => onChange(NODE_TYPES.find((one) => one === chosen) ?? 'step')}
      options={NODE_TYPES.map((one) => ({ value: one, label: t(`nodeType.${one}`) }))}
    />
  );
}

interface IdFieldProps {
  readonly value: string;
  readonly issue: string | undefined;
  readonly onChange: (id: string) => void;
}

function IdField({ value, issue, onChange }: IdFieldProps) {
  const { t } = useTranslation();
  return (
    <TextField
      label={t('author.id')}
      hint={t('author.idHint')}
      issue={issue}
      className="font-mono"
      spellCheck={false}
      value={value}
      onChange={onChange}
    />
  );
}

function useIdIssue(id: string, isTaken: boolean): string | undefined {
  const { t } = useTranslation();
  if (!ID.test(id)) return t('author.idInvalid');
  return isTaken ? t('author.idTaken') : undefined;
}

interface ConnectProps extends NodeDialogProps {
  readonly from: string;
  readonly to: string | undefined;
}

export function ConnectDialog({ author, workflow, from, to: wanted, onClose }: ConnectProps) {
  const { t } = useTranslation();
  const { nodes, edges, graph } = workflow;
  const [to, setTo] = useState(wanted ?? nodes.find(({ id }) => id !== from)?.id ?? from);
  const own = edges.filter((edge) => edge.from === from);
  const [label, setLabel] = useState(freeLabel(workflow, from));
  const isTaken = own.some((edge) => edge.to === to && edge.label === label.trim());
  const submit = useAction(async () => {
    onClose();
    await author.edit({ kind: 'connect', graph, from, to, label: label.trim() });
  });
  return (
    <FormDialog
      title={t('author.connectFrom', { title: titleOf(workflow, from) })}
      submitLabel={t('author.connect')}
      submit={submit}
      canSubmit={label.trim() !== '' && !isTaken}
      onClose={onClose}
    >
      <SelectField label={t('author.to')} value={to} onChoose={setTo} options={toOptions(workflow)} />
      <TextField
        label={t('author.label')}
        hint={t('author.labelHint')}
        issue={isTaken ? t('author.edgeTaken') : undefined}
        value={label}
        onChange={setLabel}
      />
    </FormDialog>
  );
}

/** A label for one more edge that leads from a node. */
function freeLabel({ edges }: AuthorWorkflow, from: string): string {
  const count = edges.filter((edge) => edge.from === from).length;
  return count === 0 ? 'next' : `branch-${count + 1}`;
}

export function toOptions({ nodes }: AuthorWorkflow) {
  return nodes.map(({ id, title }) => ({ value: id, label: toShownLine(title ?? id) }));
}

export function titleOf({ nodes }: AuthorWorkflow, id: string): string {
  return toShownLine(nodes.find((node) => node.id === id)?.title ?? id);
}

interface ChangeProps extends NodeDialogProps {
  readonly node: AuthorNode;
}

export function RenameDialog({ author, workflow, node, onClose, onSelect }: ChangeProps) {
  const { t } = useTranslation();
  const [title, setTitle] = useState(node.title ?? '');
  const [id, setId] = useState(node.id);
  const [inTexts, setInTexts] = useState(true);
  const at = { graph: workflow.graph, nodeId: node.id };
  const issue = useIdIssue(id, id !== node.id && workflow.nodes.some((one) => one.id === id));
  const submit = useAction(async () => {
    onClose();
    const isTitled =
      title === (node.title ?? '') ||
      (await author.edit({ kind: 'setNode', ...at, fields: { title: title.trim() || null } }));
    if (isTitled && id !== node.id && (await author.edit({ kind: 'renameNode', ...at, to: id, inTexts })))
      onSelect(id);
  });
  return (
    <FormDialog
      title={t('author.actions.rename')}
      submitLabel={t('author.rename')}
      submit={submit}
      canSubmit={issue === undefined}
      onClose={onClose}
    >
      <TextField label={t('author.nodeTitle')} data-autofocus value={title} onChange={setTitle} />
      <IdField value={id} issue={issue} onChange={setId} />
      <Checkbox label={t('author.inTexts')} isChecked={inTexts} onChange={setInTexts} />
    </FormDialog>
  );
}

export function DeleteDialog({
  author,
  workflow,
  node,
  onClose,
  onDeleted,
}: ChangeProps & { readonly onDeleted: () => void }) {
  const { t } = useTranslation();
  const [removesFile, setRemovesFile] = useState(true);
  return (
    <AlertDialog
      isOpen
      title={t('author.deleteTitle', { title: toShownLine(node.title ?? node.id) })}
      confirmLabel={t('author.delete')}
      onCancel={onClose}
      onConfirm={() => {
        onClose();
        onDeleted();
        void author.edit({ kind: 'deleteNode', graph: workflow.graph, nodeId: node.id, removesFile });
      }}
    >
      <p className="mb-3">{t('author.deleteText')}</p>
      <Checkbox
        label={t('author.deleteFile', { file: toShownLine(node.file) })}
        isChecked={removesFile}
        onChange={setRemovesFile}
      />
    </AlertDialog>
  );
}

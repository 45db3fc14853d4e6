/** The agents of the package: one at a time as a form, with its menu. */
import type { AuthorAgent } from '@crewagent/protocol/author';
import { isObject } from '@crewagent/protocol/json-object';
import { Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from '../i18n/use-translation.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { SelectField, TextField } from '../ui/forms/simple-fields.tsx';
import { AlertDialog } from '../ui/overlays/alert-dialog.tsx';
import { FormDialog } from '../ui/overlays/form-dialog.tsx';
import { toShownLine } from '../ui/sanitize-text.ts';
import { useAction } from '../ui/use-action.ts';
import { CommittedLines, CommittedList, CommittedText } from './committed.tsx';
import { MenuForm } from './menu-form.tsx';
import type { Author } from './use-author.ts';

interface AgentsTabProps {
  readonly author: Author;
  readonly agentId: string | undefined;
  readonly onChoose: (agentId: string | undefined) => void;
}

export function AgentsTab({ author, agentId, onChoose }: AgentsTabProps) {
  const { t } = useTranslation();
  const { agents } = author.model;
  const [isAdding, setAdding] = useState(false);
  const [isDeleting, setDeleting] = useState(false);
  const agent = agents.find(({ id }) => id === agentId) ?? agents[0];
  return (
    <div className="flex flex-col gap-3.5 p-4">
      <div className="flex items-end gap-2">
        {agent ? (
          <div className="min-w-0 grow">
            <SelectField
              label={t('author.agent')}
              value={agent.id}
              onChoose={onChoose}
              options={agents.map(({ id }) => ({ value: id, label: toShownLine(id) }))}
            />
          </div>
        ) : undefined}
        <Button icon={<Plus className="size-4" />} onClick={() => setAdding(true)}>
          {t('author.addAgent')}
        </Button>
        <IconButton
          label={t('author.deleteAgent')}
          disabled={agents.length < 2}
          onClick={() => setDeleting(true)}
        >
          <Trash2 />
        </IconButton>
      </div>
      {agent ? <AgentForm key={agent.id} {...{ author, agent, onChoose }} /> : undefined}
      {isAdding ? <AddAgent {...{ author, onChoose }} onClose={() => setAdding(false)} /> : undefined}
      <AlertDialog
        isOpen={isDeleting}
        title={t('author.deleteAgentTitle', { id: toShownLine(agent?.id ?? '') })}
        confirmLabel={t('author.deleteAgent')}
        onCancel={() => setDeleting(false)}
        onConfirm={() => {
          setDeleting(false);
          if (agent) void author.edit({ kind: 'deleteAgent', agentId: agent.id });
        }}
      >
        {t('author.deleteAgentText')}
      </AlertDialog>
    </div>
  );
}

interface AgentFormProps {
  readonly author: Author;
  readonly agent: AuthorAgent;
  readonly onChoose: (agentId: string) => void;
}

const METADATA = ['name', 'title', 'icon', 'description'] as const;
const PERSONA = ['role', 'identity', 'communication_style'] as const;

function AgentForm({ author, agent: { id, value }, onChoose }: AgentFormProps) {
  const { t } = useTranslation();
  const set = (fields: Extract<Parameters<Author['edit']>[0], { kind: 'setAgent' }>['fields']): void =>
    void author.edit({ kind: 'setAgent', agentId: id, fields });
  const rename = async (to: string): Promise<void> => {
    if (await author.edit({ kind: 'renameAgent', agentId: id, to })) onChoose(to);
  };
  const metadata = isObject(value.metadata) ? value.metadata : {};
  const persona = isObject(value.persona) ? value.persona : {};
  const { principles } = persona;
  return (
    <>
      <CommittedText label={t('author.id')} isMono value={id} onCommit={(to) => void rename(to.trim())} />
      {METADATA.map((key) => (
        <CommittedText
          key={key}
          label={t(`author.metadata.${key}`)}
          value={toText(metadata[key])}
          onCommit={(text) => set({ metadata: { [key]: text.trim() || null } })}
        />
      ))}
      {PERSONA.map((key) => (
        <CommittedLines
          key={key}
          label={t(`author.persona.${key}`)}
          value={toText(persona[key])}
          onCommit={(text) => set({ persona: { [key]: text.trim() } })}
        />
      ))}
      <CommittedList
        label={t('author.principles')}
        hint={t('author.listHint')}
        values={Array.isArray(principles) ? principles.map(toText) : [toText(principles)]}
        onCommit={(lines) => set({ persona: { principles: lines } })}
      />
      <MenuForm
        menu={Array.isArray(value.menu) ? value.menu.filter(isObject) : []}
        workflows={author.model.workflows.map(({ document }) => document)}
        onChange={(menu) => set({ menu: menu.length === 0 ? null : menu.map((item) => ({ ...item })) })}
      />
    </>
  );
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

interface AddAgentProps {
  readonly author: Author;
  readonly onChoose: (agentId: string) => void;
  readonly onClose: () => void;
}

function AddAgent({ author, onChoose, onClose }: AddAgentProps) {
  const { t } = useTranslation();
  const [fields, setFields] = useState({ id: '', name: '', title: '', icon: '🙂' });
  const isComplete = Object.values(fields).every((text) => text.trim() !== '');
  const isTaken = author.model.agents.some(({ id }) => id === fields.id);
  const canAdd = isComplete && !isTaken && /^[A-Za-z0-9][A-Za-z0-9._:-]{0,99}$/.test(fields.id);
  const submit = useAction(async () => {
    onClose();
    if (await author.edit({ kind: 'addAgent', ...fields })) onChoose(fields.id);
  });
  return (
    <FormDialog
      title={t('author.addAgent')}
      submitLabel={t('author.add')}
      submit={submit}
      canSubmit={canAdd}
      onClose={onClose}
    >
      {(['id', 'name', 'title', 'icon'] as const).map((key) => (
        <TextField
          key={key}
          label={key === 'id' ? t('author.id') : t(`author.metadata.${key}`)}
          hint={key === 'id' ? t('author.idHint') : undefined}
          issue={key === 'id' && isTaken ? t('author.idTaken') : undefined}
          value={fields[key]}
          onChange={(text) => setFields({ ...fields, [key]: text })}
        />
      ))}
    </FormDialog>
  );
}

/** The form of an edge: where it leads, its label, and when it is taken. */
import type { AuthorEdge, AuthorWorkflow } from '@crewagent/protocol/author';
import { Trash2 } from 'lucide-react';
import { useTranslation } from '../i18n/use-translation.ts';
import { Button } from '../ui/button.tsx';
import { Switch } from '../ui/forms/checkbox.tsx';
import { SelectField } from '../ui/forms/simple-fields.tsx';
import { CommittedText } from './committed.tsx';
import { ConditionBuilder } from './condition-builder.tsx';
import { titleOf, toOptions } from './node-dialogs.tsx';
import type { Author, Selection } from './use-author.ts';

interface EdgeFormProps {
  readonly author: Author;
  readonly workflow: AuthorWorkflow;
  readonly edge: AuthorEdge;
  readonly index: number;
  readonly onSelect: (selection: Selection | undefined) => void;
}

export function EdgeForm({ author, workflow, edge, index, onSelect }: EdgeFormProps) {
  const { t } = useTranslation();
  const at = { graph: workflow.graph, edge: index };
  const set = (fields: Extract<Parameters<Author['edit']>[0], { kind: 'setEdge' }>['fields']): void =>
    void author.edit({ kind: 'setEdge', ...at, fields });
  return (
    <div className="flex flex-col gap-3.5 p-4">
      <h2 className="font-medium">{t('author.edgeFrom', { title: titleOf(workflow, edge.from) })}</h2>
      <SelectField
        label={t('author.to')}
        value={edge.to}
        onChoose={(to) => set({ to })}
        options={toOptions(workflow)}
      />
      <CommittedText
        label={t('author.label')}
        hint={t('author.labelHint')}
        value={edge.label}
        onCommit={(label) => label.trim() !== '' && set({ label: label.trim() })}
      />
      <Switch
        label={t('author.isDefault')}
        isOn={edge.isDefault}
        onChange={(isOn) => set({ isDefault: isOn ? true : null })}
      />
      <ConditionBuilder edge={edge} variables={variablesOf(workflow)} onChange={set} />
      <CommittedText
        label={t('author.conditionText')}
        hint={t('author.conditionTextHint')}
        value={edge.conditionText ?? ''}
        onCommit={(text) => set({ conditionText: text.trim() || null })}
      />
      <div>
        <Button
          icon={<Trash2 className="size-4" />}
          onClick={() => {
            onSelect(undefined);
            void author.edit({ kind: 'disconnect', ...at });
          }}
        >
          {t('author.deleteEdge')}
        </Button>
      </div>
    </div>
  );
}

/** Variables that the workflow declares or a step sets. */
export function variablesOf({ variables, nodes }: AuthorWorkflow): string[] {
  return [...new Set([...variables, ...nodes.flatMap((node) => node.setsVariables)])].sort();
}

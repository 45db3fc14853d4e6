/** Whom to begin with: an agent, a workflow, or just the model. One press begins. */
import type { ApiClient } from '@crewagent/protocol/api/client';
import { MessageSquareText, Workflow } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/api-context.tsx';
import { mustBeTaken } from '../api/create-conversation-api.ts';
import { useModels, usePackageContents } from '../api/queries.ts';
import { navigate } from '../app/router.ts';
import { answeringModel } from '../start/answering-model.ts';
import { PackagesSection } from '../start/packages-section.tsx';
import { ROW_BUTTON, Rows, Section } from '../start/section.tsx';
import { FaultNote } from '../ui/fault-note.tsx';
import { Field } from '../ui/field.tsx';
import { toShownLine } from '../ui/foreign-text.ts';
import { Select } from '../ui/select.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { useAction } from '../ui/use-action.ts';

interface NewConversationProps {
  readonly projectId: string;
  readonly projectName: string | undefined;
}

type Beginning = Omit<Parameters<ApiClient['conversations']['create']>[0]['body'], 'projectId' | 'model'>;

export function NewConversation({ projectId, projectName }: NewConversationProps) {
  const { t } = useTranslation();
  const client = useApi();
  const { data: packages, error } = usePackageContents();
  const [model, setModel] = useState('');
  const begin = useAction(async (beginning: Beginning) => {
    const chosen = model === '' ? {} : { model };
    const status = await client.conversations.create({ body: { projectId, ...beginning, ...chosen } });
    mustBeTaken(status);
    navigate({ name: 'conversation', projectId, conversationId: status.conversationId });
  });
  return (
    <div className="h-full overflow-auto bg-surface">
      <div className="mx-auto max-w-3xl px-4 py-10 sm:px-6">
        <h1 className="text-xl font-semibold">{t('new.title')}</h1>
        {projectName === undefined ? undefined : (
          <p className="mt-1 text-ink-faint">{t('new.where', { name: toShownLine(projectName) })}</p>
        )}
        <div className="mt-6 flex flex-col gap-3">
          <ModelField model={model} onChange={setModel} />
          <FaultNote fault={begin.fault ?? error?.message} />
        </div>
        {packages === undefined && !error ? <Skeleton className="mt-9 h-28" /> : undefined}
        {packages?.map(({ package: { hash, name, version }, agents, workflows }) => (
          <Section
            key={hash}
            title={toShownLine(name)}
            aside={<span className="text-sm text-ink-faint">{toShownLine(version)}</span>}
          >
            <Rows label={t('new.of', { name: toShownLine(name) })}>
              {agents.map((agent) => (
                <Starter
                  key={agent.id}
                  icon={toShownLine(agent.icon)}
                  title={toShownLine(agent.name)}
                  kind={t('works.kinds.agent')}
                  text={toShownLine(agent.description ?? agent.title)}
                  isBusy={begin.isBusy}
                  // One sees at once what there is to choose from.
                  onBegin={() =>
                    begin.run({ kind: 'agent', packageHash: hash, agent: agent.id, input: '/menu' })
                  }
                />
              ))}
              {workflows.map(({ ref, title, description, nodes }) => (
                <Starter
                  key={ref}
                  icon={<Workflow aria-hidden="true" className="size-4" />}
                  title={toShownLine(title)}
                  kind={t('works.kinds.workflow')}
                  text={
                    description === undefined ? t('new.steps', { count: nodes }) : toShownLine(description)
                  }
                  isBusy={begin.isBusy}
                  onBegin={() => begin.run({ kind: 'workflow', packageHash: hash, workflow: ref })}
                />
              ))}
            </Rows>
          </Section>
        ))}
        {packages?.length === 0 ? <PackagesSection /> : undefined}
        <Section title={t('new.without')}>
          <Rows label={t('new.without')}>
            <Starter
              icon={<MessageSquareText aria-hidden="true" className="size-4" />}
              title={t('works.kinds.chat')}
              text={t('new.chatText')}
              isBusy={begin.isBusy}
              onBegin={() => begin.run({ kind: 'chat' })}
            />
          </Rows>
        </Section>
      </div>
    </div>
  );
}

interface StarterProps {
  readonly icon: ReactNode;
  readonly title: string;
  readonly kind?: string;
  readonly text: string;
  readonly isBusy: boolean;
  readonly onBegin: () => void;
}

function Starter({ icon, title, kind, text, isBusy, onBegin }: StarterProps) {
  return (
    <li>
      <button type="button" disabled={isBusy} className={ROW_BUTTON} onClick={onBegin}>
        <span
          aria-hidden="true"
          className="flex size-8 shrink-0 items-center justify-center overflow-hidden rounded-lg bg-sunken text-lg text-ink-soft"
        >
          {icon}
        </span>
        <span className="min-w-0 grow">
          <span className="block truncate font-medium">{title}</span>
          <span className="line-clamp-2 text-sm text-ink-faint">{text}</span>
        </span>
        {kind === undefined ? undefined : <span className="shrink-0 text-sm text-ink-faint">{kind}</span>}
      </button>
    </li>
  );
}

interface ModelFieldProps {
  readonly model: string;
  readonly onChange: (model: string) => void;
}

function ModelField({ model, onChange }: ModelFieldProps) {
  const { t } = useTranslation();
  const { data } = useModels();
  if (!data) return undefined;
  const usual = answeringModel(data);
  const nameOf = (name: string): string => (name === 'rehearsal' ? t('model.rehearsal') : toShownLine(name));
  const others = [...data.models.map(({ name }) => name), 'rehearsal'].filter((name) => name !== usual.name);
  return (
    <div className="max-w-80">
      <Field label={t('model.title')}>
        {(ids) => (
          <Select
            {...ids}
            value={model}
            onChoose={onChange}
            options={[
              { value: '', label: nameOf(usual.name) },
              ...others.map((name) => ({ value: name, label: nameOf(name) })),
            ]}
          />
        )}
      </Field>
    </div>
  );
}

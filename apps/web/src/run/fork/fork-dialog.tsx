/** Where a fork of a run works, and what is different in it. */
import '../../i18n/fork-texts.ts';
import type { ShownForkPlan } from '@crewagent/protocol/api/forks';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useApi, useApiQuery } from '../../api/api-context.tsx';
import { KEYS, useModels } from '../../api/queries.ts';
import { useTranslation } from '../../i18n/use-translation.ts';
import { openInFront } from '../../navigation/open-in-front.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorNote } from '../../ui/errors/error-note.tsx';
import { Checkbox, RadioGroup } from '../../ui/forms/checkbox.tsx';
import { SelectField, TextField } from '../../ui/forms/simple-fields.tsx';
import { Note } from '../../ui/note.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { useToasts } from '../../ui/overlays/toast-store.ts';
import { toShownLine } from '../../ui/sanitize-text.ts';
import { Skeleton } from '../../ui/skeleton.tsx';
import { useAction } from '../../ui/use-action.ts';

interface ForkDialogProps {
  readonly workId: string;
  readonly seq: number;
  readonly onClose: () => void;
}

export default function ForkDialog({ workId, seq, onClose }: ForkDialogProps) {
  const { t } = useTranslation();
  const { data: plan, error } = useApiQuery(
    ['fork-plan', workId, seq],
    ({ works }, call) => works.planFork({ workId, body: { at: { seq } } }, call),
    { staleTime: 0, gcTime: 0, retry: false },
  );
  if (plan) return <PlannedFork plan={plan} onClose={onClose} />;
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t('works.forkHere')}
      footer={<Button onClick={onClose}>{t('action.cancel')}</Button>}
    >
      {error ? <ErrorNote issue={error} /> : <Skeleton className="h-40" />}
    </Dialog>
  );
}

type Target = 'copy' | 'worktree' | 'same';

interface Choices {
  readonly target: Target;
  readonly folder: string;
  readonly keepsLost: boolean;
  readonly model: string;
  /** The call whose question waits for another answer. */
  readonly question: string;
  /** Values that differ, by variable. */
  readonly variables: Readonly<Record<string, string>>;
}

interface PlannedForkProps {
  readonly plan: ShownForkPlan;
  readonly onClose: () => void;
}

function PlannedFork({ plan, onClose }: PlannedForkProps) {
  const { t } = useTranslation();
  const client = useApi();
  const { workId, nodeId, title, visit, changes, lost } = plan;
  const [choices, setChoices] = useState<Choices>({
    ...{ target: 'copy', folder: plan.folder, keepsLost: false },
    ...{ model: '', question: '', variables: {} },
  });
  const choose = (change: Partial<Choices>): void => setChoices((before) => ({ ...before, ...change }));
  const { target, folder, keepsLost, model, question, variables } = choices;
  const queries = useQueryClient();
  const forking = useAction(async (isStarted: boolean) => {
    const forked = await client.works.fork({
      workId,
      body: {
        at: { nodeId, visit },
        target:
          target === 'same'
            ? { kind: target, seen: changes.map(({ path }) => path) }
            : { kind: target, folder },
        variables: { ...variables },
        ...(question === '' ? {} : { question }),
        ...(model === '' ? {} : { model }),
        ...(keepsLost ? { keepsLost } : {}),
      },
    });
    if (isStarted) await client.works.resume({ workId: forked.workId, body: {} });
    // Its folder is a project that the page does not know yet.
    await queries.invalidateQueries({ queryKey: KEYS.projects });
    useToasts.getState().show(t('forks.forked', { title: toShownLine(title) }));
    onClose();
    openInFront({ name: 'work', projectId: forked.projectId, workId: forked.workId });
  });
  const canFork = (target === 'same' || folder.trim() !== '') && (lost.length === 0 || keepsLost);
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t('forks.title', { title: toShownLine(title) })}
      description={t('forks.text')}
      footer={
        <>
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          {question === '' ? (
            <Button disabled={!canFork} isBusy={forking.isBusy} onClick={() => forking.run(true)}>
              {t('forks.forkAndStart')}
            </Button>
          ) : undefined}
          <Button
            kind="primary"
            disabled={!canFork}
            isBusy={forking.isBusy}
            onClick={() => forking.run(false)}
          >
            {t('forks.fork')}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4 pt-1">
        {visit > 1 ? <p className="text-sm text-ink-soft">{t('forks.visit', { visit })}</p> : undefined}
        <WhereChoice plan={plan} choices={choices} onChoose={choose} />
        {lost.length === 0 ? undefined : (
          <Note level="warning" title={t('forks.lost')} advice={t('forks.lostText')}>
            <PathList paths={lost} />
            <Checkbox
              label={t('forks.keepLost')}
              isChecked={keepsLost}
              onChange={(isChecked) => choose({ keepsLost: isChecked })}
            />
          </Note>
        )}
        <Differences plan={plan} choices={choices} onChoose={choose} />
        <ErrorNote issue={forking.issue} />
      </div>
    </Dialog>
  );
}

interface PartProps {
  readonly plan: ShownForkPlan;
  readonly choices: Choices;
  readonly onChoose: (change: Partial<Choices>) => void;
}

function WhereChoice({ plan: { changes, isRepository }, choices: { target, folder }, onChoose }: PartProps) {
  const { t } = useTranslation();
  const count = changes.length;
  const targets = [
    { value: 'copy' as const, label: t('forks.copy'), hint: t('forks.copyHint') },
    ...(isRepository
      ? [{ value: 'worktree' as const, label: t('forks.worktree'), hint: t('forks.worktreeHint') }]
      : []),
    {
      value: 'same' as const,
      label: t('forks.same'),
      hint: count > 0 ? t('forks.sameHint', { count }) : t('forks.sameNone'),
    },
  ];
  return (
    <section className="flex flex-col gap-1.5">
      <h3 className="text-sm font-medium">{t('forks.where')}</h3>
      <RadioGroup
        label={t('forks.where')}
        value={target}
        onChange={(value) =>
          onChoose({ target: targets.find((one) => one.value === value)?.value ?? 'copy' })
        }
        options={targets}
      />
      {target === 'same' ? (
        count > 0 ? (
          <div className="ps-8">
            <h4 className="text-sm text-ink-soft">{t('forks.changes')}</h4>
            <ul className="mt-1 text-sm">
              {changes.map(({ path, kind, isEdited }) => (
                <li key={path} className="flex flex-wrap gap-x-2">
                  <bdi className="font-mono wrap-anywhere">{path}</bdi>
                  <span className="text-ink-faint">{t(`forks.kinds.${kind}`)}</span>
                  {isEdited ? <span className="text-warn">{t('forks.edited')}</span> : undefined}
                </li>
              ))}
            </ul>
          </div>
        ) : undefined
      ) : (
        <TextField label={t('forks.folder')} value={folder} onChange={(text) => onChoose({ folder: text })} />
      )}
    </section>
  );
}

/** More would fill the dialog; the rest can be set under State of the fork. */
const MAX_VARIABLES = 12;

function Differences({ plan, choices: { model, question, variables }, onChoose }: PartProps) {
  const { t } = useTranslation();
  const { data } = useModels();
  const models = (data?.models ?? []).map(({ name }) => ({ value: name, label: name }));
  const texts = Object.entries(plan.variables)
    .map(
      ([name, value]) => [name, typeof value === 'string' ? value : (JSON.stringify(value) ?? '')] as const,
    )
    .slice(0, MAX_VARIABLES);
  const change = (name: string, before: string, value: string): void => {
    const { [name]: _, ...others } = variables;
    onChoose({ variables: value === before || value === '' ? others : { ...others, [name]: value } });
  };
  return (
    <section className="flex flex-col gap-3">
      <h3 className="text-sm font-medium">{t('forks.options')}</h3>
      <SelectField
        label={t('forks.model')}
        value={model}
        onChoose={(value) => onChoose({ model: value })}
        options={[
          { value: '', label: t('forks.sameModel') },
          ...models,
          { value: 'rehearsal', label: t('status.rehearsal') },
        ]}
      />
      {plan.questions.map(({ callId, questions }) => (
        <div key={callId}>
          <Checkbox
            label={t('forks.answer', { question: toShownLine(questions[0]?.prompt ?? '').slice(0, 200) })}
            isChecked={question === callId}
            onChange={(isChecked) => onChoose({ question: isChecked ? callId : '' })}
          />
          {question === callId ? (
            <p className="ps-6 text-sm text-ink-faint">{t('forks.answerHint')}</p>
          ) : undefined}
        </div>
      ))}
      {texts.length === 0 ? undefined : (
        <fieldset className="flex flex-col gap-2">
          <legend className="text-sm font-medium">{t('forks.variables')}</legend>
          <p className="text-sm text-ink-faint">{t('forks.variablesHint')}</p>
          {texts.map(([name, before]) => (
            <TextField
              key={name}
              label={toShownLine(name)}
              defaultValue={before}
              onChange={(text) => change(name, before, text)}
            />
          ))}
        </fieldset>
      )}
    </section>
  );
}

function PathList({ paths }: { readonly paths: readonly string[] }) {
  return (
    <ul className="mb-1 font-mono text-sm">
      {paths.map((path) => (
        <li key={path} className="wrap-anywhere">
          <bdi>{path}</bdi>
        </li>
      ))}
    </ul>
  );
}

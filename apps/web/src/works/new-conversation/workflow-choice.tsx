/** Starts a workflow: which one, its documents, its questions, the agent of steps that name none, and the first message. */
import type { ShownInput } from '@crewagent/protocol/api/settings';
import type { InputValue } from '@crewagent/protocol/typed-inputs';
import { Play } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useExisting } from '../../api/inspector-queries.ts';
import { useGraph } from '../../api/queries.ts';
import { useInputs } from '../../api/settings-queries.ts';
import type { PackageContents } from '../../api/works-queries.ts';
import { useTranslation } from '../../i18n/use-translation.ts';
import { Button } from '../../ui/button.tsx';
import { RadioGroup } from '../../ui/forms/checkbox.tsx';
import { Field } from '../../ui/forms/field.tsx';
import { Select } from '../../ui/forms/input.tsx';
import { toShownLine, toShownProse } from '../../ui/sanitize-text.ts';
import { DOCUMENTS_ID, Documents } from './documents.tsx';
import { FirstMessage } from './first-message.tsx';
import {
  FirstQuestions,
  type InputAnswers,
  missingAnswers,
  openQuestions,
  QUESTIONS_ID,
  toValues,
} from './first-questions.tsx';
import { neededDocuments } from './needed-documents.ts';
import { MissingNote } from './start-bar.tsx';
import { WorkflowPreview } from './workflow-preview.tsx';

interface WorkflowChoiceProps {
  readonly projectId: string;
  readonly packages: readonly PackageContents[];
  readonly isBusy: boolean;
  readonly isDisabled: boolean;
  readonly onBegin: (choice: ChosenWorkflow, answers: Answered | undefined) => void;
  readonly toBar: (button: ReactNode) => ReactNode;
}

/** Answers to be stored before the run is created. */
export interface Answered {
  readonly inputs: readonly ShownInput[];
  readonly values: Readonly<Record<string, InputValue>>;
}

export interface ChosenWorkflow {
  readonly packageHash: string;
  readonly workflow: string;
  readonly agent?: string;
  readonly input?: string;
  readonly documents?: string[];
}

export function WorkflowChoice(props: WorkflowChoiceProps) {
  const { projectId, packages, isBusy, isDisabled, onBegin, toBar } = props;
  const { t } = useTranslation();
  const all = packages.flatMap(({ package: pkg, workflows, agents }) =>
    workflows.map((workflow) => ({ key: `${pkg.hash} ${workflow.ref}`, pkg, workflow, agents })),
  );
  const [chosenKey, setChosenKey] = useState<string>();
  const [agent, setAgent] = useState('');
  const [documents, setDocuments] = useState<readonly string[]>([]);
  const [message, setMessage] = useState('');
  const [answers, setAnswers] = useState<InputAnswers>({});
  const chosen = all.find(({ key }) => key === chosenKey) ?? all[0];
  const { data: graph } = useGraph(chosen?.pkg.hash, chosen?.workflow.ref);
  const needed = graph ? neededDocuments(graph.nodes) : [];
  const { data: existing } = useExisting(projectId, needed, '');
  const { data: inputs = [] } = useInputs({
    packageHash: chosen?.pkg.hash,
    workflow: chosen?.workflow.ref,
    projectId,
  });
  if (!chosen) return undefined;
  const questions = openQuestions(inputs);
  const unanswered = missingAnswers(questions, answers);
  const missing = needed.filter((path) => existing?.get(path) === false);
  const begin = (): void =>
    onBegin(
      {
        packageHash: chosen.pkg.hash,
        workflow: chosen.workflow.ref,
        ...(agent === '' ? {} : { agent }),
        ...(message.trim() === '' ? {} : { input: message }),
        ...(documents.length === 0 ? {} : { documents: [...documents] }),
      },
      questions.length === 0 ? undefined : { inputs: questions, values: toValues(questions, answers) },
    );
  return (
    <>
      <div className="rounded-lg border bg-surface p-1.5">
        <RadioGroup
          label={t('new.workflows')}
          value={chosen.key}
          onChange={(key) => {
            setChosenKey(key);
            setAgent('');
          }}
          options={all.map(({ key, pkg, workflow: { title, description, nodes } }) => ({
            value: key,
            label: <span className="font-medium">{toShownLine(title)}</span>,
            hint: [
              `${toShownLine(pkg.name)} ${toShownLine(pkg.version)}`,
              t('new.steps', { count: nodes }),
              ...(description ? [toShownProse(description)] : []),
            ].join(' · '),
          }))}
        />
      </div>
      <FirstQuestions inputs={questions} answers={answers} onChange={setAnswers} />
      <Documents {...{ projectId, needed, existing }} given={documents} onChange={setDocuments} />
      <WorkflowPreview key={chosen.key} hash={chosen.pkg.hash} workflow={chosen.workflow.ref} />
      {chosen.agents.length > 1 ? (
        <AgentField agents={chosen.agents} value={agent} onChoose={setAgent} />
      ) : undefined}
      <FirstMessage text={message} hint={t('new.wordsForWorkflow')} onChange={setMessage} />
      {toBar(
        <>
          <Button
            kind="primary"
            isBusy={isBusy}
            disabled={isDisabled || unanswered.length > 0}
            icon={<Play aria-hidden="true" className="size-3.5" />}
            onClick={begin}
          >
            {t('new.start')}
          </Button>
          {unanswered.length > 0 ? (
            <MissingNote targetId={QUESTIONS_ID}>
              {t('inputs.missing', { count: unanswered.length })}
            </MissingNote>
          ) : undefined}
          {missing.length > 0 ? (
            <MissingNote targetId={DOCUMENTS_ID}>
              {t('new.documents.missing', { count: missing.length })}
            </MissingNote>
          ) : undefined}
        </>,
      )}
    </>
  );
}

interface AgentFieldProps {
  readonly agents: PackageContents['agents'];
  readonly value: string;
  readonly onChoose: (agent: string) => void;
}

function AgentField({ agents, value, onChoose }: AgentFieldProps) {
  const { t } = useTranslation();
  return (
    <div className="max-w-80">
      <Field label={t('new.defaultAgent')} hint={t('new.defaultAgentText')}>
        {(ids) => (
          <Select
            {...ids}
            value={value}
            onChoose={onChoose}
            options={[
              { value: '', label: t('new.usualAgent') },
              ...agents.map(({ id, name, title }) => ({
                value: id,
                label: toShownLine(`${name} · ${title}`),
              })),
            ]}
          />
        )}
      </Field>
    </div>
  );
}

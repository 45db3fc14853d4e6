/** Starts a workflow: which one, its documents, its questions, the agent of steps that name none, and the first message. */
import '../../i18n/settings-texts.ts';
import type { ApiClient } from '@crewagent/protocol/api/client';
import type { ShownInput } from '@crewagent/protocol/api/settings';
import { findInputIssue } from '@crewagent/protocol/input-answers';
import { toPackageTitle } from '@crewagent/protocol/package-title';
import type { InputValue } from '@crewagent/protocol/typed-inputs';
import { Play, TriangleAlert } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useExisting } from '../../api/inspector-queries.ts';
import { type ShownPackage, useGraph } from '../../api/queries.ts';
import { useInputs } from '../../api/settings-queries.ts';
import { useTranslation } from '../../i18n/use-translation.ts';
import { GraphPreview } from '../../packages/graph-preview.tsx';
import { neededDocuments } from '../../run/progress/node/needed-documents.ts';
import { isPlainSequence } from '../../run/progress/to-progress.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorNote } from '../../ui/errors/error-note.tsx';
import { RadioGroup } from '../../ui/forms/checkbox.tsx';
import { Field } from '../../ui/forms/field.tsx';
import { InputControl } from '../../ui/forms/field-control.tsx';
import { Textarea } from '../../ui/forms/input.tsx';
import { SelectField } from '../../ui/forms/simple-fields.tsx';
import { toShownLine, toShownProse } from '../../ui/sanitize-text.ts';
import { Skeleton } from '../../ui/skeleton.tsx';
import { DOCUMENTS_ID, Documents } from './documents.tsx';

type Request = Parameters<ApiClient['works']['create']>[0]['body'];
export type Choice = Pick<Request, 'kind' | 'packageHash' | 'agent' | 'workflow' | 'input' | 'documents'>;

/** Answers to be stored before the run is created. */
export interface Answered {
  readonly inputs: readonly ShownInput[];
  readonly values: InputAnswers;
}

export interface StartProps {
  readonly projectId: string;
  readonly packages: readonly ShownPackage[];
  readonly isBusy: boolean;
  readonly isDisabled: boolean;
  readonly onBegin: (choice: Choice, answers?: Answered) => void;
  /** Puts the button that begins it where it stays in sight. */
  readonly toBar: (button?: ReactNode) => ReactNode;
}

export function WorkflowChoice({ projectId, packages, isBusy, isDisabled, onBegin, toBar }: StartProps) {
  const { t } = useTranslation();
  const all = toChoices(packages);
  const [chosenKey, setChosenKey] = useState<string>();
  const [agent, setAgent] = useState('');
  const [documents, setDocuments] = useState<readonly string[]>([]);
  const [message, setMessage] = useState('');
  const [answers, setAnswers] = useState<InputAnswers>({});
  const chosen = all.find(({ key }) => key === chosenKey) ?? all[0];
  const { data: graph } = useGraph(chosen?.of.packageHash, chosen?.of.workflow);
  const needed = graph ? neededDocuments(graph.nodes) : [];
  const { data: existing } = useExisting(projectId, needed, '');
  const { data: inputs = [] } = useInputs({ ...chosen?.of, projectId });
  if (!chosen) return undefined;
  const questions = openQuestions(inputs);
  const unanswered = missingAnswers(questions, answers);
  const missing = needed.filter((path) => existing?.get(path) === false);
  const begin = (): void =>
    onBegin(
      {
        kind: 'workflow',
        ...chosen.of,
        agent: agent || undefined,
        input: message.trim() === '' ? undefined : message,
        documents: documents.length === 0 ? undefined : [...documents],
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
          options={all.map(({ key, from, workflow: { title, description, nodes } }) => ({
            value: key,
            label: <span className="font-medium">{toShownLine(title)}</span>,
            hint: [
              ...(from === title ? [] : [toShownLine(from)]),
              t('new.steps', { count: nodes }),
              ...(description ? [toShownProse(description)] : []),
            ].join(' · '),
          }))}
        />
      </div>
      <FirstQuestions inputs={questions} answers={answers} onChange={setAnswers} />
      <Documents {...{ projectId, needed, existing }} given={documents} onChange={setDocuments} />
      <WorkflowPreview key={chosen.key} {...chosen.of} />
      {chosen.agents.length > 1 ? (
        <div className="max-w-80">
          <SelectField
            label={t('new.defaultAgent')}
            hint={t('new.defaultAgentText')}
            value={agent}
            onChoose={setAgent}
            options={[
              { value: '', label: t('new.usualAgent') },
              ...chosen.agents.map(({ id, name, title }) => ({
                value: id,
                label: toShownLine(title === name ? name : `${name} · ${title}`),
              })),
            ]}
          />
        </div>
      ) : undefined}
      <FirstMessage text={message} hint={t('new.wordsForWorkflow')} onChange={setMessage} />
      {toBar(
        <>
          <Button
            kind="primary"
            isBusy={isBusy}
            disabled={isDisabled || unanswered.length > 0}
            icon={<Play className="size-3.5" />}
            onClick={begin}
          >
            {t('new.start')}
          </Button>
          <MissingNote targetId={QUESTIONS_ID} count={unanswered.length}>
            {t('inputs.missing', { count: unanswered.length })}
          </MissingNote>
          <MissingNote targetId={DOCUMENTS_ID} count={missing.length}>
            {t('new.documents.missing', { count: missing.length })}
          </MissingNote>
        </>,
      )}
    </>
  );
}

/** `from`: the package, with its version if another one has a workflow of the same title. */
function toChoices(packages: readonly ShownPackage[]) {
  const titles = packages.flatMap(({ workflows }) => workflows.map(({ title }) => title));
  return packages.flatMap(({ package: pkg, workflows, agents }) =>
    workflows.map((workflow) => {
      const isAlone = titles.filter((title) => title === workflow.title).length === 1;
      return {
        key: `${pkg.hash} ${workflow.ref}`,
        of: { packageHash: pkg.hash, workflow: workflow.ref },
        from: isAlone ? toPackageTitle(pkg, workflows) : `${toPackageTitle(pkg)} ${pkg.version}`,
        workflow,
        agents,
      };
    }),
  );
}

interface FirstMessageProps {
  readonly text: string;
  readonly hint: string;
  readonly onChange: (text: string) => void;
}

/** The first message; may be empty. */
export function FirstMessage({ text, hint, onChange }: FirstMessageProps) {
  const { t } = useTranslation();
  return (
    <Field label={t('new.words')} hint={hint}>
      {(ids) => (
        <Textarea
          {...ids}
          rows={2}
          maxRows={10}
          value={text}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}

type InputAnswers = Readonly<Record<string, InputValue>>;

interface FirstQuestionsProps {
  readonly inputs: readonly ShownInput[];
  readonly answers: InputAnswers;
  readonly onChange: (answers: InputAnswers) => void;
}

const QUESTIONS_ID = 'new-questions';

/** Questions of a workflow that are asked once per project or person, before its first run. */
function FirstQuestions({ inputs, answers, onChange }: FirstQuestionsProps) {
  const { t } = useTranslation();
  if (inputs.length === 0) return undefined;
  return (
    <fieldset id={QUESTIONS_ID} tabIndex={-1} className="flex flex-col gap-3 rounded-lg border p-3.5">
      <legend className="px-1 text-sm font-medium">{t('inputs.title')}</legend>
      <p className="text-sm text-ink-faint">{t('inputs.text')}</p>
      {inputs.map((input) => {
        const value = answers[input.name] ?? input.value;
        const isWrong = answers[input.name] !== undefined && isIssue(input, value);
        return (
          <Field
            key={input.name}
            label={toShownLine(input.prompt)}
            hint={t(input.scope === 'person' ? 'inputs.perPerson' : 'inputs.perProject')}
            issue={isWrong ? t(input.type === 'path' ? 'inputs.wrongPath' : 'inputs.wrong') : undefined}
          >
            {(ids) => (
              <InputControl
                ids={ids}
                input={input}
                value={value}
                onChange={(next) => onChange({ ...answers, [input.name]: next })}
              />
            )}
          </Field>
        );
      })}
    </fieldset>
  );
}

/** Inputs without a stored answer. */
function openQuestions(inputs: readonly ShownInput[]): ShownInput[] {
  return inputs.filter(({ source }) => source === 'default' || source === 'none');
}

/** Inputs whose answer, or default, is missing or invalid. */
function missingAnswers(inputs: readonly ShownInput[], answers: InputAnswers): ShownInput[] {
  return inputs.filter((input) => isIssue(input, answers[input.name] ?? input.value));
}

function isIssue(input: ShownInput, value: InputValue | undefined): boolean {
  return value === undefined || findInputIssue(input, value) !== undefined;
}

/** The values to store: answers, and defaults that were not changed. */
function toValues(inputs: readonly ShownInput[], answers: InputAnswers): Record<string, InputValue> {
  return Object.fromEntries(
    inputs.flatMap(({ name, value }) => {
      const answer = answers[name] ?? value;
      return answer === undefined ? [] : [[name, answer]];
    }),
  );
}

/** The graph of a workflow before it is started. */
function WorkflowPreview({ packageHash, workflow }: Required<Pick<Choice, 'packageHash' | 'workflow'>>) {
  const { t } = useTranslation();
  const { data: graph, error } = useGraph(packageHash, workflow);
  if (error) return <ErrorNote issue={error} />;
  if (!graph) return <Skeleton className="h-52" />;
  return (
    <figure className="overflow-hidden rounded-lg border bg-surface">
      <figcaption className="border-b px-3.5 py-2 text-sm text-ink-faint">
        {t('new.way', { title: toShownLine(graph.workflow.title) })}
      </figcaption>
      {isPlainSequence(graph) ? (
        <ol className="flex list-decimal flex-col gap-1 py-2.5 ps-9 pe-3.5 marker:text-ink-faint">
          {graph.nodes.map(({ id, title }) => (
            <li key={id}>{toShownLine(title)}</li>
          ))}
        </ol>
      ) : (
        <GraphPreview graph={graph} className="h-52" />
      )}
    </figure>
  );
}

interface MissingNoteProps {
  /** Id of the element where it can be fixed. */
  readonly targetId: string;
  /** How much is missing: nothing is shown for none. */
  readonly count?: number;
  readonly onPress?: () => void;
  readonly children: ReactNode;
}

/** What is missing before the start; a click leads to it. */
export function MissingNote({ targetId, count = 1, onPress, children }: MissingNoteProps) {
  if (count === 0) return undefined;
  return (
    <Button
      kind="quiet"
      className="text-warn"
      icon={<TriangleAlert className="size-3.5 shrink-0" />}
      onClick={() => {
        onPress?.();
        const element = document.getElementById(targetId);
        element?.scrollIntoView({ block: 'center' });
        element?.focus({ preventScroll: true });
      }}
    >
      {children}
    </Button>
  );
}

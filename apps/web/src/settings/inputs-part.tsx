/** Answers to the questions that workflows of the installed packages ask once: of the person, and of one project. */
import '../i18n/settings-texts.ts';
import type { ShownInput } from '@crewagent/protocol/api/settings';
import { findInputIssue } from '@crewagent/protocol/input-answers';
import type { InputValue } from '@crewagent/protocol/typed-inputs';
import { useState } from 'react';
import { useProjects } from '../api/queries.ts';
import { useInputs } from '../api/settings-queries.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { InputControl } from '../ui/forms/field-control.tsx';
import { Select } from '../ui/forms/input.tsx';
import { toShownLine } from '../ui/sanitize-text.ts';
import { SettingRow, useSetting } from './setting-row.tsx';

export function InputsPart() {
  const { t } = useTranslation();
  const { data: projects = [], isPending } = useProjects();
  const [chosen, setChosen] = useState<string>();
  const projectId = chosen ?? projects[0]?.projectId;
  const { data: inputs = [] } = useInputs({ projectId }, !isPending);
  // What the runtime knows is decided above.
  const asked = inputs.filter(({ source }) => source !== 'known');
  const ofProject = asked.filter(({ scope }) => scope === 'project');
  if (asked.length === 0) return undefined;
  return (
    <section aria-label={t('inputs.title')} className="mt-8">
      <h3 className="text-lg font-semibold">{t('inputs.title')}</h3>
      <p className="mt-1 max-w-xl text-ink-faint">{t('inputs.settingsText')}</p>
      {asked
        .filter(({ scope }) => scope === 'person')
        .map((input) => (
          <InputSetting key={input.name} input={input} path={`inputs.person.${input.name}`} />
        ))}
      {ofProject.length > 0 && projectId !== undefined ? (
        <>
          <div className="mt-5 max-w-80">
            <Select
              aria-label={t('palette.project')}
              value={projectId}
              onChoose={setChosen}
              options={projects.map((project) => ({
                value: project.projectId,
                label: t('inputs.ofProject', { name: toShownLine(project.name) }),
              }))}
            />
          </div>
          {ofProject.map((input) => (
            <InputSetting
              key={`${projectId} ${input.name}`}
              input={input}
              path={`inputs.projects.${projectId}.${input.name}`}
            />
          ))}
        </>
      ) : undefined}
    </section>
  );
}

function InputSetting({ input, path }: { readonly input: ShownInput; readonly path: string }) {
  const { t } = useTranslation();
  const setting = useSetting(path);
  const [typed, setTyped] = useState<InputValue>();
  const isTyped = input.type === 'text' || input.type === 'path';
  const stored = setting.isDecided ? (setting.value as InputValue) : undefined;
  const usual = input.source === 'answer' ? input.default : input.value;
  const isWrong = typed !== undefined && typed !== '' && findInputIssue(input, typed) !== undefined;
  const save = (value: InputValue | undefined): void => {
    if (value === undefined || (value !== '' && findInputIssue(input, value) !== undefined)) return;
    setTyped(undefined);
    if (value !== stored) setting.change(value === '' ? null : value);
  };
  return (
    <SettingRow
      setting={setting}
      label={toShownLine(input.prompt)}
      hint={t('inputs.usedBy', { packages: input.packages.map(toShownLine).join(', ') })}
      issue={isWrong ? t(input.type === 'path' ? 'inputs.wrongPath' : 'inputs.wrong') : undefined}
      onReset={() => setTyped(undefined)}
    >
      {(ids) => (
        <InputControl
          ids={ids}
          input={input}
          value={typed ?? stored ?? (isTyped ? undefined : usual)}
          placeholder={typeof usual === 'string' ? toShownLine(usual) : undefined}
          onChange={(value) => (isTyped ? setTyped(value) : save(value))}
          onDone={() => save(typed)}
        />
      )}
    </SettingRow>
  );
}

/** Commands that models may run in the project that was opened last: the switch, the network, git, rules, and the sandbox. */
import { hostSchema } from '@crewagent/protocol/sandbox';
import { commandPrefixSchema, type ShellState } from '@crewagent/protocol/shell';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useApi } from '../api/api-context.tsx';
import { useProjects } from '../api/queries.ts';
import { SETTINGS_KEYS, useShell } from '../api/settings-queries.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/errors/error-note.tsx';
import { Field } from '../ui/forms/field.tsx';
import { Switch } from '../ui/forms/switch.tsx';
import { Textarea } from '../ui/forms/textarea.tsx';
import { toShownLine } from '../ui/sanitize-text.ts';
import { useAction } from '../ui/use-action.ts';
import { toLines } from './servers/server-values.ts';

export function CommandsSetting() {
  const { t } = useTranslation();
  const client = useApi();
  const queries = useQueryClient();
  const { data: projects } = useProjects();
  const project = projects?.[0];
  const { data } = useShell(project?.projectId);
  const act = useAction(async (body: Parameters<typeof client.projects.changeShell>[0]['body']) => {
    if (!project) return;
    await client.projects.changeShell({ projectId: project.projectId, body });
    await queries.invalidateQueries({ queryKey: SETTINGS_KEYS.shell });
  });
  if (!project || !data) return undefined;
  return (
    <section className="flex flex-col gap-3 border-t pt-5">
      <h3 className="font-medium">{t('commands.title', { name: toShownLine(project.name) })}</h3>
      <p className="max-w-xl text-sm text-ink-faint">{t('commands.text')}</p>
      <div className="flex flex-col gap-2 sm:max-w-md">
        <Switch
          label={t('commands.enabled')}
          isOn={data.enabled}
          isDisabled={act.isBusy}
          onChange={(enabled) => act.run({ enabled })}
        />
        {data.enabled && data.sandbox.kind !== 'none' ? (
          <>
            <Switch
              label={t('commands.network')}
              isOn={data.network}
              isDisabled={act.isBusy}
              onChange={(network) => act.run({ network })}
            />
            <Switch
              label={t('commands.git')}
              isOn={data.git}
              isDisabled={act.isBusy}
              onChange={(git) => act.run({ git })}
            />
          </>
        ) : undefined}
      </div>
      {data.enabled ? <Isolation state={data} /> : undefined}
      {data.enabled && data.network && data.sandbox.kind !== 'none' ? (
        <Lines
          key={`hosts ${data.hosts.join(' ')}`}
          name="hosts"
          lines={data.hosts}
          example={'api.example.org\n*.example.com'}
          isValid={(line) => hostSchema.safeParse(line).success}
          isBusy={act.isBusy}
          onSave={(hosts) => act.run({ hosts })}
        />
      ) : undefined}
      {data.enabled && data.sandbox.isIsolating ? (
        <Lines
          key={`rules ${data.allow.join('\n')}`}
          name="rules"
          lines={data.allow}
          example={'npm test\ncargo check'}
          isValid={(line) => commandPrefixSchema.safeParse(line).success}
          isBusy={act.isBusy}
          onSave={(allow) => act.run({ allow })}
        />
      ) : undefined}
      <ErrorNote issue={act.issue} />
    </section>
  );
}

function Isolation({ state: { sandbox, network, registries } }: { readonly state: ShellState }) {
  const { t } = useTranslation();
  if (!sandbox.isIsolating)
    return (
      <p className="max-w-xl text-sm text-warn">
        {t('commands.noSandbox')} {toShownLine(sandbox.reason ?? '')}
      </p>
    );
  return (
    <p className="max-w-xl text-sm text-ink-faint">
      {t(network ? 'commands.sandboxNetwork' : 'commands.sandbox')}
      {network && registries.length > 0
        ? ` ${t('commands.registries', { hosts: registries.join(', ') })}`
        : ''}
    </p>
  );
}

interface LinesProps {
  readonly name: 'hosts' | 'rules';
  readonly lines: readonly string[];
  readonly example: string;
  readonly isValid: (line: string) => boolean;
  readonly isBusy: boolean;
  readonly onSave: (lines: string[]) => void;
}

/** A list that is edited as text, one entry a line. */
function Lines({ name, lines: saved, example, isValid, isBusy, onSave }: LinesProps) {
  const { t } = useTranslation();
  const [text, setText] = useState(saved.join('\n'));
  const lines = toLines(text);
  const areValid = lines.every(isValid);
  return (
    <div className="flex max-w-xl flex-col items-start gap-2">
      <Field
        label={t(`commands.${name}`)}
        hint={t(`commands.${name}Hint`)}
        issue={areValid ? undefined : t(`commands.${name}Wrong`)}
      >
        {(ids) => (
          <Textarea
            {...ids}
            rows={3}
            spellCheck={false}
            value={text}
            placeholder={example}
            className="font-mono text-sm!"
            onChange={(event) => setText(event.target.value)}
          />
        )}
      </Field>
      <Button
        size="sm"
        disabled={!areValid || lines.join('\n') === saved.join('\n')}
        isBusy={isBusy}
        onClick={() => onSave(lines)}
      >
        {t('commands.save')}
      </Button>
    </div>
  );
}

/** What tools may do on this machine; an agent of a package can only be restricted further. */
import '../i18n/settings-texts.ts';
import '../i18n/machine-texts.ts';
import { describeField, fieldAt } from '@crewagent/protocol/describe-fields';
import { type ShellState, shellSettingsSchema } from '@crewagent/protocol/shell';
import { Fragment } from 'react';
import { useApi, useChange } from '../api/api-context.tsx';
import { useProjects } from '../api/queries.ts';
import { SETTINGS_KEYS, useShell } from '../api/settings-queries.ts';
import { fieldText, useTranslation } from '../i18n/use-translation.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/errors/error-note.tsx';
import { Switch } from '../ui/forms/checkbox.tsx';
import { FormField, useForm } from '../ui/forms/form-field.tsx';
import { parseTyped } from '../ui/forms/typed-values.ts';
import { toShownLine } from '../ui/sanitize-text.ts';
import { AllowedForGood } from './data-section.tsx';
import { settingsOf } from './setting-index.ts';
import { SettingField, SettingsGate, SettingsPart } from './settings-part.tsx';

export function ToolsSection() {
  return (
    <SettingsPart section="tools">
      <SettingsGate>
        {settingsOf('tools').map((path) => (
          <Fragment key={path}>
            <SettingField path={path} />
            {path === 'tools.approval' ? <AllowedList /> : undefined}
          </Fragment>
        ))}
      </SettingsGate>
      <CommandsSetting />
    </SettingsPart>
  );
}

/** Permanent approvals of all projects. */
function AllowedList() {
  const { t } = useTranslation();
  const { data: projects = [] } = useProjects();
  const allowed = projects.filter(({ approvals }) => approvals.length > 0);
  return (
    <section aria-label={t('allowedList.title')} className="flex flex-col gap-1 border-b py-4">
      <h3 className="font-medium">{t('allowedList.title')}</h3>
      <p className="text-sm text-ink-faint">
        {t(allowed.length === 0 ? 'allowedList.none' : 'allowedList.text')}
      </p>
      {allowed.map((project) => (
        <div key={project.projectId} className="flex flex-col gap-1">
          <p className="text-sm font-medium wrap-anywhere">{toShownLine(project.name)}</p>
          <AllowedForGood project={project} />
        </div>
      ))}
    </section>
  );
}

const SHAPE = describeField(shellSettingsSchema);

/** Commands that models may run in the project that was opened last: switches, hosts, rules, and the sandbox. */
function CommandsSetting() {
  const { t } = useTranslation();
  const client = useApi();
  const { data: projects } = useProjects();
  const project = projects?.[0];
  const { data } = useShell(project?.projectId);
  const act = useChange(
    SETTINGS_KEYS.shell,
    async (body: Parameters<typeof client.projects.changeShell>[0]['body']) =>
      project && client.projects.changeShell({ projectId: project.projectId, body }),
  );
  if (!project || !data) return undefined;
  const { enabled, network, sandbox } = data;
  const hasSandbox = enabled && sandbox.kind !== 'none';
  const switches = hasSandbox ? (['enabled', 'network', 'git'] as const) : (['enabled'] as const);
  const lists = [
    ...(hasSandbox && network ? (['hosts'] as const) : []),
    ...(enabled && sandbox.isIsolating ? (['allow'] as const) : []),
  ];
  return (
    <section className="flex flex-col gap-3 border-t pt-5">
      <h3 className="font-medium">{t('commands.title', { name: toShownLine(project.name) })}</h3>
      <p className="max-w-xl text-sm text-ink-faint">{t('commands.text')}</p>
      <div className="flex flex-col gap-2 sm:max-w-md">
        {switches.map((path) => (
          <Switch
            key={path}
            label={fieldText(t, `shell.${path}`, 'label')}
            isOn={data[path]}
            isDisabled={act.isBusy}
            onChange={(isOn) => act.run({ [path]: isOn })}
          />
        ))}
      </div>
      {enabled ? <Isolation state={data} /> : undefined}
      {lists.map((path) => (
        <List
          key={`${path} ${data[path].join('\n')}`}
          path={path}
          saved={data[path].join('\n')}
          isBusy={act.isBusy}
          onSave={(entries) => act.run({ [path]: entries })}
        />
      ))}
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

interface ListProps {
  readonly path: 'hosts' | 'allow';
  readonly saved: string;
  readonly isBusy: boolean;
  readonly onSave: (entries: string[]) => void;
}

/** What a list allows is saved with a button, not when the field is left. */
function List({ path, saved, isBusy, onSave }: ListProps) {
  const { t } = useTranslation();
  const form = useForm(() => ({ [path]: saved }));
  const field = fieldAt(SHAPE, [path]);
  const parsed = field && parseTyped(field, form.values[path] ?? '');
  const entries = parsed?.kind === 'value' ? (parsed.value as string[]) : [];
  return (
    <div className="flex max-w-xl flex-col items-stretch gap-2">
      <FormField form={form} shape={SHAPE} texts="shell" path={path} />
      <Button
        size="sm"
        className="self-start"
        disabled={parsed?.kind === 'wrong' || entries.join('\n') === saved}
        isBusy={isBusy}
        onClick={() => onSave(entries)}
      >
        {t('action.save')}
      </Button>
    </div>
  );
}

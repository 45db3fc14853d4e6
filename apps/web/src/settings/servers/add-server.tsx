/** A form that adds one MCP server: a program on this computer, or an address. Values are stored as secrets. */
import type { McpServer } from '@crewagent/protocol/mcp';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useApi } from '../../api/api-context.tsx';
import { SETTINGS_KEYS } from '../../api/settings-queries.ts';
import { useTranslation } from '../../i18n/use-translation.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorNote } from '../../ui/errors/error-note.tsx';
import { Field } from '../../ui/forms/field.tsx';
import { Input } from '../../ui/forms/input.tsx';
import { RadioGroup } from '../../ui/forms/radio-group.tsx';
import { Switch } from '../../ui/forms/switch.tsx';
import { Textarea } from '../../ui/forms/textarea.tsx';
import { useAction } from '../../ui/use-action.ts';
import { parseValues, toLines } from './server-values.ts';

const EMPTY = { id: '', kind: 'program', command: '', args: '', url: '', values: '', isSandboxed: false };

export function AddServer() {
  const { t } = useTranslation();
  const client = useApi();
  const queries = useQueryClient();
  const [form, setForm] = useState(EMPTY);
  const [added, setAdded] = useState<string>();
  const set = (change: Partial<typeof EMPTY>): void => setForm({ ...form, ...change });
  const isProgram = form.kind === 'program';
  const values = parseValues(form.values);
  const isReady =
    form.id.trim() !== '' && (isProgram ? form.command : form.url).trim() !== '' && values !== undefined;
  const add = useAction(async () => {
    setAdded(undefined);
    const server = form.id.trim();
    await client.servers.put({ server, body: { server: toServer(form), values: { ...values } } });
    setAdded(server);
    setForm(EMPTY);
    await queries.invalidateQueries({ queryKey: SETTINGS_KEYS.servers });
  });
  return (
    <form
      // The line is as wide as the section, the fields are not.
      className="mt-3 flex flex-col gap-3 border-t pt-5 *:max-w-xl"
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady) add.run();
      }}
    >
      <h3 className="font-medium">{t('servers.add')}</h3>
      <Field label={t('servers.addName')} hint={t('servers.addNameHint')}>
        {(ids) => <Input {...ids} value={form.id} onChange={({ target }) => set({ id: target.value })} />}
      </Field>
      <RadioGroup
        label={t('servers.addKind')}
        value={form.kind}
        onChange={(kind) => set({ kind })}
        options={[
          { value: 'program', label: t('servers.addProgram') },
          { value: 'address', label: t('servers.addAddress') },
        ]}
      />
      {isProgram ? (
        <>
          <Field label={t('servers.addCommand')}>
            {(ids) => (
              <Input
                {...ids}
                spellCheck={false}
                placeholder="npx"
                value={form.command}
                onChange={({ target }) => set({ command: target.value })}
              />
            )}
          </Field>
          <Lines
            label={t('servers.addArgs')}
            hint={t('servers.addArgsHint')}
            value={form.args}
            onChange={(args) => set({ args })}
          />
          <Switch
            label={t('servers.addSandbox')}
            isOn={form.isSandboxed}
            onChange={(isSandboxed) => set({ isSandboxed })}
          />
        </>
      ) : (
        <Field label={t('servers.addUrl')}>
          {(ids) => (
            <Input
              {...ids}
              type="url"
              placeholder="https://"
              value={form.url}
              onChange={({ target }) => set({ url: target.value })}
            />
          )}
        </Field>
      )}
      <Lines
        label={t(isProgram ? 'servers.addEnv' : 'servers.addHeaders')}
        hint={t('servers.addValuesHint')}
        issue={values === undefined ? t('servers.addValuesWrong') : undefined}
        value={form.values}
        onChange={(text) => set({ values: text })}
      />
      <div className="flex items-center gap-3">
        <Button kind="primary" type="submit" disabled={!isReady} isBusy={add.isBusy}>
          {t('servers.addButton')}
        </Button>
        <span role="status" className="text-ok">
          {added === undefined ? undefined : t('servers.added', { server: added })}
        </span>
      </div>
      <ErrorNote issue={add.issue} />
    </form>
  );
}

interface LinesProps {
  readonly label: string;
  readonly hint: string;
  readonly issue?: string | undefined;
  readonly value: string;
  readonly onChange: (text: string) => void;
}

function Lines({ label, hint, issue, value, onChange }: LinesProps) {
  return (
    <Field label={label} hint={hint} issue={issue}>
      {(ids) => (
        <Textarea
          {...ids}
          rows={3}
          spellCheck={false}
          autoComplete="off"
          value={value}
          className="font-mono text-sm!"
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Field>
  );
}

function toServer({ kind, command, args, url, isSandboxed }: typeof EMPTY): McpServer {
  const switches = { enabled: true, trusted: false, disabledTools: [] };
  if (kind !== 'program') return { ...switches, url: url.trim(), headers: [] };
  const sandbox = isSandboxed ? { sandbox: { network: false, hosts: [], folders: [], git: false } } : {};
  return { ...switches, command: command.trim(), args: toLines(args), env: [], inheritEnv: [], ...sandbox };
}

/** The fields of a hook, to add one or to change one. What the form does not show of a program's access stays as it is. */
import '../../i18n/machine-texts.ts';
import { describeField } from '@crewagent/protocol/describe-fields';
import {
  commandHookSchema,
  type Hook,
  hookEventSchema,
  hookNameSchema,
  hookSchema,
  httpHookSchema,
  isCommandHook,
  type ListedHook,
} from '@crewagent/protocol/hooks';
import * as z from '@crewagent/protocol/zod';
import { useState } from 'react';
import { useApi, useChange } from '../../api/api-context.tsx';
import { SETTINGS_KEYS } from '../../api/settings-queries.ts';
import { useTranslation } from '../../i18n/use-translation.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorNote } from '../../ui/errors/error-note.tsx';
import { Form } from '../../ui/forms/field.tsx';
import { FormField, useForm } from '../../ui/forms/form-field.tsx';
import { parseForm, type TypedValues, toTyped } from '../../ui/forms/typed-values.ts';
import { EVENT_TEXTS } from './event-texts.ts';

const common = {
  name: hookNameSchema,
  on: commandHookSchema.shape.on,
  kind: z.enum(['program', 'address']),
};
const ending = { timeoutSeconds: commandHookSchema.shape.timeoutSeconds, failsClosed: z.boolean() };
const programSchema = z.strictObject({
  ...common,
  command: commandHookSchema.shape.command,
  args: commandHookSchema.shape.args,
  isSandboxed: z.boolean(),
  hosts: commandHookSchema.shape.hosts,
  ...ending,
});
const addressSchema = z.strictObject({
  ...common,
  url: httpHookSchema.shape.url,
  secretEnv: httpHookSchema.shape.secretEnv,
  body: httpHookSchema.shape.body,
  ...ending,
});
const SHAPES = { program: describeField(programSchema), address: describeField(addressSchema) };

type TypedHook = z.infer<typeof programSchema> | z.infer<typeof addressSchema>;

interface HookFormProps {
  /** The one that is changed. */
  readonly listed?: ListedHook;
  readonly onDone?: () => void;
}

export function HookForm({ listed, onDone }: HookFormProps) {
  const { t } = useTranslation();
  const client = useApi();
  const form = useForm(() => (listed ? toValues(listed) : EMPTY));
  const [added, setAdded] = useState<string>();
  const shape = SHAPES[form.values.kind === 'address' ? 'address' : 'program'];
  const save = useChange(SETTINGS_KEYS.hooks, async () => {
    setAdded(undefined);
    const parsed = parseForm<TypedHook>(shape, form.values);
    if (!parsed.ok) return form.setIssues(parsed.issues);
    await client.hooks.put({ hook: parsed.value.name, body: { hook: toHook(parsed.value, listed?.hook) } });
    if (onDone) return onDone();
    setAdded(parsed.value.name);
    form.change(EMPTY);
  });
  const events = hookEventSchema.options.map((value) => ({ value, label: t(EVENT_TEXTS[value]) }));
  const names = Object.keys(shape.fields ?? {}).filter((path) => path !== 'name' || !listed);
  return (
    <Form className="mt-3 flex flex-col gap-3 border-t pt-5 *:max-w-xl" onSubmit={() => save.run()}>
      <h3 className="font-medium">{listed ? t('hooks.editOf', { hook: listed.name }) : t('hooks.add')}</h3>
      {names.map((path) => (
        <FormField
          key={path}
          {...{ form, shape, path }}
          texts="hook"
          layout={path === 'kind' ? 'list' : undefined}
          placeholder={EXAMPLES[path]}
          choices={path === 'on' ? events : undefined}
        />
      ))}
      <div className="flex items-center gap-3">
        <Button kind="primary" type="submit" isBusy={save.isBusy}>
          {t(listed ? 'action.save' : 'hooks.addButton')}
        </Button>
        {onDone ? <Button onClick={onDone}>{t('action.cancel')}</Button> : undefined}
        <span role="status" className="text-ok">
          {added === undefined ? undefined : t('hooks.added', { hook: added })}
        </span>
      </div>
      <ErrorNote issue={save.issue} />
    </Form>
  );
}

const EXAMPLES: Readonly<Record<string, string>> = {
  command: 'node',
  url: 'https://',
  secretEnv: 'HOOK_SECRET',
};

const EMPTY: TypedValues = {
  name: '',
  on: '',
  kind: 'program',
  isSandboxed: true,
  timeoutSeconds: '10',
  failsClosed: false,
};

function toValues({ name, hook }: ListedHook): TypedValues {
  const { on, timeoutSeconds, onFailure } = hook;
  const shared = {
    name,
    on,
    timeoutSeconds: String(timeoutSeconds),
    failsClosed: onFailure === 'deny',
  };
  if (!isCommandHook(hook)) {
    const { url, secretEnv = '', body = '' } = hook;
    return { ...EMPTY, ...shared, kind: 'address', url, secretEnv, body };
  }
  const { command, args, sandbox, hosts } = hook;
  const isSandboxed = sandbox === 'required';
  return { ...EMPTY, ...shared, command, args: toTyped(args), hosts: toTyped(hosts), isSandboxed };
}

function toHook(typed: TypedHook, before: Hook | undefined): Hook {
  const { on, timeoutSeconds, failsClosed } = typed;
  const shared = { enabled: before?.enabled, on, timeoutSeconds, onFailure: failsClosed ? 'deny' : 'warn' };
  if ('url' in typed) {
    const { url, secretEnv, body } = typed;
    return hookSchema.parse({ ...shared, url, secretEnv, body });
  }
  const { command, args, isSandboxed, hosts } = typed;
  const access = before && isCommandHook(before) ? before : {};
  const sandbox = isSandboxed ? 'required' : 'off';
  return hookSchema.parse({ ...access, ...shared, command, args, sandbox, hosts, network: hosts.length > 0 });
}

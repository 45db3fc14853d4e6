/** A form that adds one MCP server: a program on this computer, or an address. Values are stored as secrets. */
import '../../i18n/machine-texts.ts';
import { describeField } from '@crewagent/protocol/describe-fields';
import {
  httpServerSchema,
  mcpServerSchema,
  serverIdSchema,
  stdioServerSchema,
} from '@crewagent/protocol/mcp';
import * as z from '@crewagent/protocol/zod';
import { useState } from 'react';
import { useApi, useChange } from '../../api/api-context.tsx';
import { SETTINGS_KEYS } from '../../api/settings-queries.ts';
import { useTranslation } from '../../i18n/use-translation.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorNote } from '../../ui/errors/error-note.tsx';
import { Form } from '../../ui/forms/field.tsx';
import { FormField, useForm } from '../../ui/forms/form-field.tsx';
import { parseForm } from '../../ui/forms/typed-values.ts';

const common = { id: serverIdSchema, kind: z.enum(['program', 'address']) };
const valuesSchema = z._default(z.record(z.string(), z.string()), {});

const programSchema = z.strictObject({
  ...common,
  command: stdioServerSchema.shape.command,
  args: stdioServerSchema.shape.args,
  isSandboxed: z.boolean(),
  env: valuesSchema,
});
const addressSchema = z.strictObject({ ...common, url: httpServerSchema.shape.url, headers: valuesSchema });
const SHAPES = { program: describeField(programSchema), address: describeField(addressSchema) };

const EMPTY = { id: '', kind: 'program', isSandboxed: false };

export function AddServer() {
  const { t } = useTranslation();
  const client = useApi();
  const form = useForm(() => EMPTY);
  const [added, setAdded] = useState<string>();
  const shape = SHAPES[form.values.kind === 'address' ? 'address' : 'program'];
  const add = useChange(SETTINGS_KEYS.servers, async () => {
    setAdded(undefined);
    const parsed = parseForm<NewServer>(shape, form.values);
    if (!parsed.ok) return form.setIssues(parsed.issues);
    await client.servers.put({ server: parsed.value.id, body: toBody(parsed.value) });
    setAdded(parsed.value.id);
    form.change(EMPTY);
  });
  return (
    // The line is as wide as the section, the fields are not.
    <Form className="mt-3 flex flex-col gap-3 border-t pt-5 *:max-w-xl" onSubmit={() => add.run()}>
      <h3 className="font-medium">{t('servers.add')}</h3>
      {Object.keys(shape.fields ?? {}).map((path) => (
        <FormField
          key={path}
          {...{ form, shape, path }}
          texts="server"
          layout={path === 'kind' ? 'list' : undefined}
          placeholder={EXAMPLES[path]}
        />
      ))}
      <div className="flex items-center gap-3">
        <Button kind="primary" type="submit" isBusy={add.isBusy}>
          {t('servers.addButton')}
        </Button>
        <span role="status" className="text-ok">
          {added === undefined ? undefined : t('servers.added', { server: added })}
        </span>
      </div>
      <ErrorNote issue={add.issue} />
    </Form>
  );
}

const EXAMPLES: Readonly<Record<string, string>> = { command: 'npx', url: 'https://' };

type NewServer = z.infer<typeof programSchema> | z.infer<typeof addressSchema>;

function toBody(form: NewServer) {
  if (!('command' in form)) return { server: mcpServerSchema.parse({ url: form.url }), values: form.headers };
  const { command, args, env: values, isSandboxed } = form;
  return { server: mcpServerSchema.parse({ command, args, ...(isSandboxed && { sandbox: {} }) }), values };
}

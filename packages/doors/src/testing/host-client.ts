/** The client of a host, as the SDK has it, with what its person enters. */
import { pathToFileURL } from 'node:url';
import { Client } from '@modelcontextprotocol/client';

export interface HostAbilities {
  /** What the person enters; without it the host shows no forms. */
  form?(field: string, message: string): unknown;
  /** The version of the protocol without a handshake. */
  readonly isModern?: boolean;
}

export function createClient(project: string, { form, isModern = false }: HostAbilities): Client {
  const client = new Client(
    { name: 'scripted-host', version: '1.0.0' },
    {
      capabilities: { roots: {}, ...(form ? { elicitation: { form: {} } } : {}) },
      ...(isModern ? { versionNegotiation: { mode: { pin: '2026-07-28' } } } : {}),
    },
  );
  client.setRequestHandler('roots/list', () => ({ roots: [{ uri: pathToFileURL(project).href }] }));
  if (form)
    client.setRequestHandler('elicitation/create', ({ params }) => {
      if (!('requestedSchema' in params)) return { action: 'decline' };
      const fields = Object.keys(params.requestedSchema.properties);
      const values = fields.map((field): [string, string] => [field, String(form(field, params.message))]);
      return { action: 'accept', content: Object.fromEntries(values) };
    });
  return client;
}

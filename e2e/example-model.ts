/** A provider that lists its models, passes the connection test and then plays the example `hello-branch` to its end. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { startFakeProvider } from '../packages/core/src/testing/models/fake-provider.ts';
import {
  type ProviderReply,
  statusReply,
  textReply,
  toolCallReply,
} from '../packages/core/src/testing/models/provider-replies.ts';

export interface ExampleModel {
  /** Address for a custom provider. */
  readonly url: string;
  readonly close: () => Promise<void>;
}

interface ExampleModelOptions {
  readonly models: readonly string[];
  /** Any other key is refused; undefined: none is needed. */
  readonly key?: string;
}

export async function startExampleModel({ models, key }: ExampleModelOptions): Promise<ExampleModel> {
  let turns = 0;
  const model = await startFakeProvider(({ body, headers }) => {
    if (key !== undefined && headers.authorization !== `Bearer ${key}`)
      return statusReply(401, { error: { message: 'Incorrect API key' } });
    const said = JSON.stringify(body);
    if (said.includes('get_number_of')) return textReply('One number at a time.');
    if (said.includes('get_magic_number'))
      return said.includes('"role":"tool"')
        ? textReply('It is 7421.')
        : toolCallReply([{ name: 'get_magic_number', arguments: {} }]);
    return TURNS[turns++] ?? textReply('The plan is in your folder.');
  });
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const authorization = request.headers.authorization ?? '';
    if (request.method === 'GET') {
      const isRefused = key !== undefined && authorization !== `Bearer ${key}`;
      response.writeHead(isRefused ? 401 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ data: models.map((id) => ({ id, object: 'model' })) }));
      return;
    }
    const reply = await fetch(new URL(request.url ?? '', model.url), {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization },
      body: await text(request),
    });
    response.writeHead(reply.status, { 'content-type': reply.headers.get('content-type') ?? '' });
    response.end(await reply.text());
  };
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    async close() {
      server.close();
      await model.close();
    },
  };
}

function write(name: string, content: string) {
  return { name: 'fs_write', arguments: { path: `@project/artifacts/hello-branch/${name}`, content } };
}

function complete(nodeId: string, next?: object) {
  return { name: 'runtime_complete_node', arguments: { nodeId, ...next } };
}

const SENTENCE = 'It keeps a list of what a household has, what it needs, and who buys it next. ';

const PLAN = [
  'Goal',
  'Riskiest assumption',
  'Smallest useful version',
  'Technical outline',
  'First two weeks',
  'Left out for now',
]
  .map((heading) => `## ${heading}\n${SENTENCE}`)
  .join('\n');

const SUMMARY = ['Main points', 'First thing to do', 'Open points']
  .map((heading) => `## ${heading}\n${SENTENCE}`)
  .join('\n');

const TURNS: readonly ProviderReply[] = [
  toolCallReply([
    {
      name: 'ui_ask_user',
      arguments: {
        questions: [
          {
            id: 'existing',
            type: 'single_choice',
            prompt: 'What exists already?',
            options: [
              { value: 'nothing', label: 'Nothing yet' },
              { value: 'code', label: 'There is code' },
            ],
          },
        ],
      },
    },
  ]),
  toolCallReply([
    write('intake.md', '# Intake\n\n## Goal\nA pantry list.\n\n## What exists already\nNothing yet.\n'),
    complete('step-01-intake', {
      next: 'decide-02-project-type',
      variables: { projectName: 'Larder', goal: 'A pantry list.' },
    }),
  ]),
  toolCallReply([
    complete('decide-02-project-type', {
      next: 'step-03a-greenfield',
      variables: { projectType: 'greenfield' },
      decision: { label: 'greenfield', reason: 'The folder is empty.' },
    }),
  ]),
  toolCallReply([
    write('greenfield-plan.md', `# Plan\n\n${PLAN}`),
    complete('step-03a-greenfield', { next: 'end-99' }),
  ]),
  toolCallReply([
    write('summary.md', `# Summary\n\n${SUMMARY}`),
    complete('end-99', { variables: { workflowStatus: 'complete' } }),
  ]),
];

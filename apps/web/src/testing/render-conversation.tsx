/** Renders the screen of a conversation from a log. */
import type { ApiClient } from '@crewagent/protocol/api/client';
import type { RunEvent } from '@crewagent/protocol/events';
import { type WorkflowGraph, workflowGraphSchema } from '@crewagent/protocol/workflow';
import { render } from 'vitest-browser-react';
import graphFile from '../../../../examples/hello-branch/workflow.graph.json';
import { ApiProvider } from '../api/api-context.tsx';
import { ConversationScreen } from '../app/conversation/conversation-screen.tsx';
import { Toasts } from '../ui/overlays/toasts.tsx';
import { TooltipProvider } from '../ui/tooltip.tsx';
import { conversationIdOf } from './logs.ts';
import { NO_SERVER } from './no-server.ts';
import { createRecordedApi, type RecordedApi } from './recorded-api.ts';

const graph: WorkflowGraph = workflowGraphSchema.parse(graphFile);

export async function renderConversation(
  log: readonly RunEvent[],
  more: Partial<RecordedApi> = {},
  client: ApiClient = NO_SERVER,
  callers: readonly { readonly id: string; readonly subworkflow: string }[] = [],
) {
  const nodes = graph.nodes.map((node) => ({ ...node, ...callers.find(({ id }) => id === node.id) }));
  const api = { ...createRecordedApi(log, ['@project/docs/brief.md', '@project/docs/plan.md']), ...more };
  const route = { name: 'work', projectId: 'p', workId: conversationIdOf(log) } as const;
  const screen = await render(
    <ApiProvider client={client}>
      <TooltipProvider>
        <div className="fixed inset-0">
          <ConversationScreen
            api={api}
            route={route}
            graph={{ ...graph, nodes }}
            projectName="Larder"
            sidePanels={{ files: <p>Files panel</p>, works: <p>Works panel</p> }}
          />
        </div>
        <Toasts />
      </TooltipProvider>
    </ApiProvider>,
  );
  return { screen, api };
}

/**
 * Renders components with recorded data, for development: run `vite apps/web` and open
 * `/src/testing/gallery.html?scene=eventful`. Not part of the product.
 */
import '../styles/app.css';
import '@fontsource-variable/noto-sans-sc';
import type { RunEvent } from '@crewagent/protocol/events';
import type { WorkflowGraph } from '@crewagent/protocol/workflow';
import { createRoot } from 'react-dom/client';
import storyGraph from '../../../../examples/create-story-micro/workflow.graph.json';
import branchGraph from '../../../../examples/hello-branch/workflow.graph.json';
import { ApiProvider } from '../api/api-context.tsx';
import { ConversationScreen } from '../app/conversation/conversation-screen.tsx';
import { Shell } from '../app/shell/shell.tsx';
import SettingsScreen from '../settings/settings-screen.tsx';
import { followAppearance } from '../state/appearance.ts';
import { Toasts } from '../ui/overlays/toasts.tsx';
import { TooltipProvider } from '../ui/tooltip.tsx';
import { agentStoryLog, conversationIdOf, helloBranchLog, inConversation } from './logs.ts';
import { asking, eventful, hostile, longLog, RUN_ID, toLog } from './made-events.ts';
import { NO_SERVER } from './no-server.ts';
import { PrimitivesScene } from './primitives-scene.tsx';
import { createRecordedApi } from './recorded-api.ts';

const SCENES: Readonly<Record<string, readonly [log: readonly RunEvent[], graph: unknown]>> = {
  eventful: [inConversation(toLog(RUN_ID, eventful)), branchGraph],
  running: [inConversation(toLog(RUN_ID, eventful.slice(0, 13))), branchGraph],
  asking: [inConversation(toLog(RUN_ID, asking)), branchGraph],
  hostile: [inConversation(toLog(RUN_ID, hostile)), branchGraph],
  long: [inConversation(longLog(10_000)), branchGraph],
  agent: [agentStoryLog, storyGraph],
  menu: [agentStoryLog.slice(0, 4), storyGraph],
  hello: [inConversation(helloBranchLog), branchGraph],
};

const FILES = ['docs/brief.md', 'docs/notes.md', 'docs/plan.md', 'artifacts/intake.md'].map(
  (path) => `@project/${path}`,
);

function Scene({ name }: { readonly name: string }) {
  if (name === 'primitives') return <PrimitivesScene />;
  const scene = SCENES[name];
  if (!scene)
    return (
      <Shell route={{ name: 'settings' }} title="Settings" main={<SettingsScreen hasServer={false} />} />
    );
  const [log, graph] = scene;
  const route = {
    name: 'work',
    projectId: 'gallery',
    workId: conversationIdOf(log),
  } as const;
  const side = <p className="p-4 text-ink-faint">A panel</p>;
  return (
    <ConversationScreen
      api={createRecordedApi(log, FILES)}
      route={route}
      graph={graph as WorkflowGraph}
      projectName="Larder"
      sidePanels={{ files: side, works: side }}
    />
  );
}

followAppearance();
const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <ApiProvider client={NO_SERVER}>
      <TooltipProvider>
        <Scene name={new URLSearchParams(location.search).get('scene') ?? ''} />
        <Toasts />
      </TooltipProvider>
    </ApiProvider>,
  );
}

/**
 * PromptComposer: assembles a request from parts that change as little as possible, so that each request inside a
 * node extends the previous one. Pure.
 */
import type { AgentDefinition } from '@crewagent/protocol/agents';
import type { MenuEntry } from '@crewagent/protocol/commands';
import type { RequestFrame } from '@crewagent/protocol/event-messages';
import type { MessageRules } from '@crewagent/protocol/model';
import type { ModelTraits } from '../llm/llm-adapter.ts';
import { toProviderMessages, toProviderTools } from '../llm/provider-messages.ts';
import { escapeTokens, escapeTokensInTool } from '../llm/special-tokens.ts';
import type { ChatMessage, ChatRequest, SystemMessage, WireTool } from '../llm/wire.ts';
import { type Background, composeBackground, composeMenu, type WorkflowFile } from './background.ts';
import {
  composeBaseRules,
  composePolicyText,
  composeSmallRules,
  type PolicyFacts,
  type PromptMode,
} from './base-rules.ts';
import { composePersona } from './persona.ts';

/** The part of a request that is constant for one agent in one mode. */
export interface PromptFrame {
  /** The layers of the system messages. */
  readonly layers: readonly FrameLayer[];
  readonly system: readonly SystemMessage[];
  readonly tools: readonly WireTool[];
}

export interface FrameLayer {
  readonly layer: NonNullable<RequestFrame['layers']>[number]['layer'];
  readonly text: string;
}

export interface FrameSources {
  readonly mode: PromptMode;
  /** Undefined in a chat. */
  readonly agent: AgentDefinition | undefined;
  readonly policy: PolicyFacts;
  readonly tools: readonly OfferedTool[];
  /** For a small model; only in a run. */
  readonly isSmall?: boolean;
  readonly traits: Pick<ModelTraits, 'takesSeveralSystemMessages'>;
  readonly background: Background;
  /** Only of a run. */
  readonly workflow: WorkflowFile | undefined;
  /** Names of the other workflows of the package; for a completed run. */
  readonly otherWorkflows?: readonly string[];
  /** Menu of the agent. */
  readonly menu: readonly MenuEntry[];
}

export interface OfferedTool {
  readonly wireName: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** Between layers in one system message. */
export const LAYER_SEPARATOR = '\n\n';

export function composeFrame(sources: FrameSources): PromptFrame {
  const { mode, agent, policy, tools, traits, background, workflow, otherWorkflows, menu } = sources;
  const layers: FrameLayer[] = [
    { layer: 'rules', text: sources.isSmall ? composeSmallRules(policy) : composeBaseRules(mode, policy) },
    { layer: 'policy', text: composePolicyText(policy) },
    {
      layer: 'background',
      text: composeBackground(background, {
        workflow: mode === 'run' ? workflow : undefined,
        otherWorkflows: mode === 'completed' ? otherWorkflows : undefined,
      }),
    },
  ];
  if (agent && mode !== 'chat') layers.push({ layer: 'persona', text: composePersona(agent) });
  const items = mode === 'agent' ? composeMenu(menu) : '';
  if (items !== '') layers.push({ layer: 'menu', text: items });
  const texts = layers.map(({ text }) => text);
  const contents = traits.takesSeveralSystemMessages ? texts : [texts.join(LAYER_SEPARATOR)];
  return {
    layers,
    system: contents.map((content) => ({ role: 'system', content: escapeTokens(content) })),
    tools: tools.map(({ wireName, description, parameters }) =>
      escapeTokensInTool({ type: 'function', function: { name: wireName, description, parameters } }),
    ),
  };
}

/** The request in the form that the model's rules require. */
export function composeRequest(
  frame: PromptFrame,
  messages: readonly ChatMessage[],
  rules: MessageRules,
): ChatRequest {
  return {
    messages: [...frame.system, ...toProviderMessages(messages, rules)],
    tools: toProviderTools(frame.tools, rules),
  };
}

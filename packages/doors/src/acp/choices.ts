/** What a person chooses for a session in the editor: whom to talk to, the model, and what may be done without asking. */
import type {
  SessionConfigOption,
  SessionConfigSelectOption,
  SessionModeState,
} from '@agentclientprotocol/sdk';
import {
  CrewError,
  listInstalled,
  loadInstalled,
  type Session,
  type Store,
  type ValidationContext,
  type WorkflowChoice,
} from '@crewagent/core';
import type { InstalledPackage } from '@crewagent/protocol/installed-package';
import type { RunModel } from '@crewagent/protocol/model';
import { toPackageTitle } from '@crewagent/protocol/package-title';
import { activeStory } from '@crewagent/protocol/story/work-story';
import { type ApprovalPreset, approvalPresetSchema } from '@crewagent/protocol/tools';
import type { WorkRecord } from '@crewagent/protocol/work';
import type { Say } from './texts.ts';

const PRESETS = ['ask', 'declared', 'autopilot', 'read-only'] as const satisfies readonly ApprovalPreset[];
const HINTS = {
  ask: 'askHint',
  declared: 'declaredHint',
  autopilot: 'autopilotHint',
  'read-only': 'readOnlyHint',
} as const;

export function toModes(current: ApprovalPreset, say: Say): SessionModeState {
  return {
    currentModeId: current,
    availableModes: PRESETS.map((id) => ({
      id,
      name: say(`preset.${id}`),
      description: say(`preset.${HINTS[id]}`),
    })),
  };
}

export function parsePreset(id: string): ApprovalPreset {
  const parsed = approvalPresetSchema.safeParse(id);
  if (parsed.success) return parsed.data;
  throw new CrewError('USAGE', `There is no mode "${id.slice(0, 40)}"; the modes are ${PRESETS.join(', ')}.`);
}

/** Whom a session talks to: the model alone, an agent, or a workflow that its next message starts. */
export type Recipient =
  | { readonly kind: 'chat' }
  | { readonly kind: 'agent'; readonly package: string; readonly agent: string | undefined }
  | ({ readonly kind: 'workflow'; readonly title: string } & WorkflowChoice);

interface Offered {
  readonly option: SessionConfigSelectOption;
  readonly recipient: Recipient;
}

export type Recipients = ReturnType<typeof createRecipients>;

const MAX_PACKAGES = 40;

/** Agents and workflows of the installed packages; a package is read once. */
export function createRecipients(store: Store, context: ValidationContext, say: Say) {
  const known = new Map<string, Promise<readonly Offered[]>>();
  const offer = async ({ hash, ...named }: InstalledPackage): Promise<readonly Offered[]> => {
    const { agents, workflows } = await loadInstalled(hash, store, context);
    const title = toPackageTitle(named, workflows);
    return [
      ...agents.map(
        ({ id, metadata }): Offered => ({
          option: {
            value: `agent ${hash} ${id}`,
            name: `${title}: ${metadata.name}`,
            description: metadata.title,
          },
          recipient: { kind: 'agent', package: hash, agent: id },
        }),
      ),
      ...workflows.map((workflow): Offered => {
        const name = workflows.length === 1 ? title : `${title}: ${workflow.title}`;
        return {
          option: {
            value: `workflow ${hash} ${workflow.ref}`,
            name: say('recipient.workflow', { title: name }),
            description: workflow.description,
          },
          recipient: { kind: 'workflow', package: hash, workflow: workflow.ref, title: workflow.title },
        };
      }),
    ];
  };
  const chat: Offered = {
    option: { value: 'chat', name: say('recipient.chat') },
    recipient: { kind: 'chat' },
  };
  return {
    /** `alsoHash`: a package of the session, which may be no longer the newest of its name. */
    async list(alsoHash: string | undefined): Promise<readonly Offered[]> {
      const installed = await listInstalled(store);
      const newest = installed.filter(({ name, hash }, index) => {
        const isFirst = installed.findIndex((other) => other.name === name) === index;
        return isFirst || hash === alsoHash;
      });
      const offered = newest.slice(0, MAX_PACKAGES).map((each) => {
        const { hash } = each;
        // A damaged package is not offered.
        const found = known.get(hash) ?? offer(each).catch(() => []);
        known.set(hash, found);
        return found;
      });
      return [chat, ...(await Promise.all(offered)).flat()];
    },
  };
}

interface Chosen {
  readonly view: Session['view'];
  readonly record: WorkRecord;
  readonly offered: readonly Offered[];
  /** The workflow that the next message starts. */
  readonly next: Recipient | undefined;
  /** Names of the models in the settings. */
  readonly models: readonly string[];
  readonly say: Say;
}

export function toConfigOptions({ view, record, offered, next, models, say }: Chosen): SessionConfigOption[] {
  const { tools, model } = record;
  const modelName = toModelName(model);
  const current = toValue(view, next, offered);
  const recipients = offered.map(({ option }) => option);
  return [
    {
      type: 'select',
      id: 'recipient',
      name: say('recipient.label'),
      currentValue: current,
      options: withCurrent(recipients, current, toName(view, next, say)),
    },
    {
      type: 'select',
      id: 'model',
      name: say('model.label'),
      category: 'model',
      currentValue: modelName,
      options: withCurrent(
        [
          ...models.map((name) => ({ value: name, name })),
          { value: 'rehearsal', name: say('model.rehearsal') },
        ],
        modelName,
        modelName,
      ),
    },
    {
      type: 'select',
      id: 'permission',
      name: say('preset.label'),
      category: 'mode',
      currentValue: tools.approval,
      options: toModes(tools.approval, say).availableModes.map(({ id, name, description }) => ({
        value: id,
        name,
        description,
      })),
    },
  ];
}

/** The workflow that the command was started with, before it is installed. */
export const STARTING = 'starting';

function toValue(view: Session['view'], next: Recipient | undefined, offered: readonly Offered[]): string {
  const { agent, activeRunId } = view.state;
  if (next?.kind === 'workflow') {
    const value = `workflow ${next.package} ${next.workflow}`;
    return offered.some(({ option }) => option.value === value) ? value : STARTING;
  }
  const { package: ofRun, workflow } = activeStory(view);
  if (activeRunId !== undefined && ofRun && workflow) return `workflow ${ofRun.hash} ${workflow.ref}`;
  return agent ? `agent ${agent.package.hash} ${agent.agentId}` : 'chat';
}

function toName(view: Session['view'], next: Recipient | undefined, say: Say): string {
  const title = next?.kind === 'workflow' ? next.title : activeStory(view).workflow?.title;
  if (title !== undefined) return say('recipient.workflow', { title });
  return view.state.agent?.name ?? say('recipient.chat');
}

function toModelName(model: RunModel): string {
  if (model.kind === 'provider') return model.profile ?? model.settings.model;
  return model.kind;
}

/** The current value is always one of the options. */
function withCurrent(
  options: readonly SessionConfigSelectOption[],
  value: string,
  name: string,
): SessionConfigSelectOption[] {
  return options.some((option) => option.value === value) ? [...options] : [{ value, name }, ...options];
}

/** What an editor shows around a session: commands, title, options, and how full the context is. Sent when it changes. */
import type { SessionConfigOption, SessionModeState, SessionUpdate } from '@agentclientprotocol/sdk';
import { type Runtime, readContextSize, type Session, toAddress } from '@crewagent/core';
import type { Language } from '@crewagent/protocol/languages';
import { activeStory, calledStory } from '@crewagent/protocol/story/work-story';
import { type Recipient, type Recipients, toConfigOptions, toModes } from './choices.ts';
import { toCommands } from './commands.ts';
import type { Say } from './texts.ts';

export interface AnnouncementDeps {
  readonly session: Session;
  readonly runtime: Runtime;
  readonly recipients: Recipients;
  readonly language: Language;
  readonly say: Say;
  /** The workflow that the next message starts. */
  next(): Recipient | undefined;
  add(update: SessionUpdate): void;
}

export interface SessionChoices {
  readonly modes: SessionModeState;
  readonly configOptions: SessionConfigOption[];
}

export function createAnnouncements(deps: AnnouncementDeps) {
  const { session, runtime, recipients, language, say, add } = deps;
  const { store } = runtime;
  const address = toAddress(session.record);
  const sent = new Map<string, string>();
  /** Whether it differs from what was sent before. */
  const isNew = (kind: string, value: unknown): boolean => {
    const text = JSON.stringify(value);
    if (sent.get(kind) === text) return false;
    sent.set(kind, text);
    return true;
  };
  const choices = async (): Promise<SessionChoices> => {
    const record = await store.works.read(address);
    const { models } = await runtime.settings();
    const { view } = session;
    const offered = await recipients.list(activeStory(view).package?.hash ?? view.state.agent?.package.hash);
    return {
      modes: toModes(record.tools.approval, say),
      configOptions: toConfigOptions({
        view,
        record,
        offered,
        next: deps.next(),
        models: Object.keys(models),
        say,
      }),
    };
  };
  return {
    /** For the response that opens the session or changes a choice. */
    async choices(): Promise<SessionChoices> {
      const { modes, configOptions } = await choices();
      isNew('options', configOptions);
      isNew('mode', modes.currentModeId);
      return { modes, configOptions };
    },
    async announce(): Promise<void> {
      const availableCommands = toCommands(session, language, say);
      if (isNew('commands', availableCommands))
        add({ sessionUpdate: 'available_commands_update', availableCommands });
      const { title, updatedAt } = await store.works.read(address);
      if (title !== '' && isNew('title', title))
        add({ sessionUpdate: 'session_info_update', title, updatedAt });
      const { modes, configOptions } = await choices();
      if (!isNew('options', configOptions)) return;
      add({ sessionUpdate: 'config_option_update', configOptions });
      const { currentModeId } = modes;
      if (isNew('mode', currentModeId)) add({ sessionUpdate: 'current_mode_update', currentModeId });
    },
    async announceUsage(): Promise<void> {
      const { requestTokens: used, usage } = calledStory(session.view);
      if (used === undefined) return;
      const size = await readContextSize(address, { store, now: () => new Date() });
      const cost =
        usage.costUsd === undefined ? {} : { cost: { amount: usage.costUsd, currency: 'USD' } as const };
      const update: SessionUpdate = { sessionUpdate: 'usage_update', used, size, ...cost };
      if (isNew('usage', update)) add(update);
    },
  };
}

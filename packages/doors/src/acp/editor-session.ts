/** One open conversation in an editor: what it receives of the story, and what it may ask for. */
import type { AgentContext, ContentBlock, SessionConfigOption, StopReason } from '@agentclientprotocol/sdk';
import {
  type AcceptOptions,
  CrewError,
  createSecretCheck,
  openProjectFiles,
  type Runtime,
  type Session,
  type SessionStop,
  toAddress,
} from '@crewagent/core';
import type { RunEvent } from '@crewagent/protocol/events';
import type { Language } from '@crewagent/protocol/languages';
import { createAnnouncements, type SessionChoices } from './announcements.ts';
import { parsePreset, type Recipient, type Recipients, STARTING } from './choices.ts';
import { isRuntimeCommand, toLine } from './commands.ts';
import { createTurns } from './prompt-turns.ts';
import { type PromptReader, readPrompt } from './read-prompt.ts';
import { createStoryFeed } from './story-feed.ts';
import type { Say } from './texts.ts';
import { toProjectPath } from './to-preview.ts';

export interface EditorDeps {
  readonly runtime: Runtime;
  readonly client: AgentContext;
  readonly language: Language;
  readonly say: Say;
  readonly recipients: Recipients;
  readonly hasNotices: boolean;
  readonly hasForms: boolean;
}

interface OpenedSession {
  readonly session: Session;
  /** Whether the editor gets the story so far. */
  readonly isReplay: boolean;
  /** A workflow that the first message starts. */
  readonly next?: Recipient | undefined;
  /** What the person should know of this session. */
  readonly notes: readonly string[];
}

export type EditorSession = ReturnType<typeof createEditorSession>;

export function createEditorSession({ session, isReplay, next, notes }: OpenedSession, deps: EditorDeps) {
  const { runtime, client, say, recipients } = deps;
  const { workId: sessionId } = session.record;
  const toPath = toProjectPath(session.projectPath);
  const feed = createStoryFeed(
    {
      ...deps,
      view: session.view,
      toPath,
      send: (update) => client.notify('session/update', { sessionId, update }),
    },
    isReplay,
  );
  let starting = next;
  const announcements = createAnnouncements({ ...deps, session, next: () => starting, add: feed.add });
  const turns = createTurns({
    asking: { ...deps, session, toPath, onAnswered: feed.echoAnswer },
    flush: feed.flush,
    toCommand: (text) => async (options) => {
      const recipient = starting;
      if (recipient?.kind !== 'workflow' || isRuntimeCommand(text))
        return session.input(toLine(session, text), options);
      return startWorkflow(session, recipient, text, {
        onAccepted(accepted) {
          starting = undefined;
          options.onAccepted?.(accepted);
        },
      });
    },
  });
  const unsubscribe = session.subscribe((event) => {
    feed.onEvent(event);
    // What cannot be read now is sent with the end of the turn, or not at all.
    if (event.type === 'usage.updated') announcements.announceUsage().catch(() => undefined);
    if (SWITCHES.has(event.type)) announcements.announce().catch(() => undefined);
  });
  const announce = async (): Promise<void> => {
    await announcements.announce();
    await feed.flush();
  };
  const setPreset = (id: string) => runtime.setApproval(toAddress(session.record), parsePreset(id));
  const noteWorkflow = ({ title }: WorkflowRecipient): void => feed.note(say('workflow', { title }));
  /** A workflow starts with the next message. */
  const choose = async (value: string): Promise<void> => {
    if (value === STARTING && starting) return;
    starting = await switchTo(session, value, recipients);
    if (starting?.kind === 'workflow') noteWorkflow(starting);
  };

  return {
    sessionId,
    async prompt(blocks: readonly ContentBlock[], cancelled: AbortSignal): Promise<StopReason> {
      try {
        const reason = await turns.run(() => read(blocks, session, deps), cancelled);
        await announcements.announce();
        return reason;
      } catch (error) {
        if (!(error instanceof CrewError) || turns.isActive) throw error;
        // The person can correct what they wrote, so the session goes on.
        feed.note(`⚠ ${error.message}`);
        return 'end_turn';
      } finally {
        await feed.flush();
      }
    },
    /** Stops the turn; the run can be resumed. */
    cancel: turns.cancel,
    choices: (): Promise<SessionChoices> => announcements.choices(),
    /** Sends the story so far, the commands, and what the person should know. */
    async begin(): Promise<void> {
      for (const note of notes) feed.note(note);
      if (starting?.kind === 'workflow') noteWorkflow(starting);
      await announce();
    },
    async setMode(modeId: string): Promise<void> {
      await setPreset(modeId);
      await announce();
    },
    async setOption(id: string, value: string): Promise<SessionConfigOption[]> {
      if (turns.isActive) throw new CrewError('RUN_NOT_READY', say('busy'));
      if (id === 'permission') await setPreset(value);
      else if (id === 'model') await session.setModel({ model: value });
      else if (id === 'recipient') await choose(value);
      else throw new CrewError('USAGE', `There is no option "${id.slice(0, 40)}".`);
      await announce();
      return (await announcements.choices()).configOptions;
    },
    async close(): Promise<void> {
      turns.cancel();
      feed.close();
      unsubscribe();
      await session.close();
    },
  };
}

/** The commands are others then. */
const SWITCHES: ReadonlySet<RunEvent['type']> = new Set([
  'agent.entered',
  'agent.dismissed',
  'run.entered',
  'run.left',
]);

/** The text of a prompt, with its files stored in the project. */
async function read(
  blocks: readonly ContentBlock[],
  { projectPath, record }: Session,
  { runtime, say }: EditorDeps,
): Promise<string> {
  const { store } = runtime;
  const isSecret = createSecretCheck((await runtime.settings()).tools.fs.secretPatterns);
  const withFiles: PromptReader['withFiles'] = async (use) => {
    const project = await store.projects.read(record.projectId);
    const files = await openProjectFiles({ store, project, isSecret, now: () => new Date() });
    try {
      return await use(files);
    } finally {
      await files.close();
    }
  };
  return readPrompt(blocks, {
    projectPath,
    say,
    isSecret: (path) => isSecret(path.split('/')),
    withFiles,
  });
}

type WorkflowRecipient = Extract<Recipient, { kind: 'workflow' }>;

function startWorkflow(
  session: Session,
  { package: ref, agent, workflow }: WorkflowRecipient,
  text: string,
  options: AcceptOptions,
): Promise<SessionStop> {
  const input = text === '' ? undefined : text;
  return session.startWorkflow({ package: ref, agent, workflow, input }, options);
}

/** Returns a workflow, which is not started yet. */
async function switchTo(
  session: Session,
  value: string,
  recipients: Recipients,
): Promise<Recipient | undefined> {
  const { agent, activeRunId } = session.view.state;
  const offered = await recipients.list(agent?.package.hash);
  const recipient = offered.find(({ option }) => option.value === value)?.recipient;
  if (!recipient) throw new CrewError('USAGE', `"${value.slice(0, 80)}" is not one of the choices.`);
  if (recipient.kind === 'workflow') return recipient;
  if (recipient.kind === 'agent') await session.enterAgent(recipient);
  else if (agent) await session.dismissAgent();
  else if (activeRunId !== undefined) await session.input('/stop');
  return undefined;
}

/**
 * The conversations this process works on: opened when a command comes, one session a conversation however many clients
 * steer it, let go soon after it rests. Commands are answered when they are understood; what comes of them is told by events.
 */
import {
  type ConversationAddress,
  type ConversationRequest,
  CrewError,
  type RunAddress,
  type Runtime,
  readConversationRecord,
  type Session,
  type SessionStop,
  type TakeOptions,
} from '@crewagent/core';
import type { ConversationRecord } from '@crewagent/protocol/conversation';
import { activeView } from '@crewagent/protocol/conversation-view';
import type { JournalEntry } from '@crewagent/protocol/journal';
import { attachSession, type SessionHubs } from './attach-session.ts';
import { createHolder, type Held, type HolderOptions, type Place } from './holder.ts';

export interface OpenSessions extends SessionDesks {
  /** Makes a conversation and says `first` in it; one in which that cannot be said does not stay. */
  create(request: Omit<ConversationRequest, 'surface'>, first: SessionCommand | undefined): Promise<Taken>;
  /** In turn with all else that is done in a conversation: through it where it is in this run, else with the run alone. */
  withRun<T>(address: ConversationAddress & RunAddress, ways: RunWays<T>): Promise<T>;
  /** Ends the turn that is under way here; undefined when the conversation is not open here. */
  stop(conversationId: string): Promise<Taken | undefined>;
  /** The conversation, if it is open here; to be looked at only. */
  heldSession(conversationId: string): Session | undefined;
  /** Whether a run is driven by a conversation that is open here. */
  isDriving(runId: string): boolean;
  /** What a conversation that is open here, or the run it is in, changed; undefined for what is not open. */
  changesOf(id: string): readonly JournalEntry[] | undefined;
  /** Lets go of what rests. */
  closeResting(fits: (record: ConversationRecord) => boolean): Promise<void>;
  close(): Promise<void>;
}

interface SessionDesks {
  /** Gives a command to a conversation. A model named here opens one whose own cannot be had any more. */
  command(conversationId: string, give: SessionCommand, options?: CommandOptions): Promise<Taken>;
  /** Does something that needs the conversation closed. Refused while it goes on. */
  useClosed<T>(conversationId: string, work: () => Promise<T>): Promise<T>;
}

interface CommandOptions {
  readonly model?: string | undefined;
}

/** What can be done with a conversation whose turn it is. */
export interface SessionDesk {
  command(give: SessionCommand, options?: CommandOptions): Promise<Taken>;
  useClosed<T>(work: () => Promise<T>): Promise<T>;
}

export interface RunWays<T> {
  alone(): Promise<T>;
  inside(desk: SessionDesk): Promise<T>;
}

export interface Taken extends SessionStop {
  readonly conversationId: string;
}

/** Tells `onTaken`, where it begins a turn; refused at once where it does not fit the moment. */
export type SessionCommand = (session: Session, options: TakeOptions) => Promise<SessionStop>;

export interface OpenSessionsOptions extends HolderOptions, SessionHubs {
  readonly runtime: Runtime;
  /** A run of the conversation that rests may be held for itself. */
  letGoOfRuns(conversationId: string): Promise<void>;
}

interface HeldSession extends Held {
  readonly session: Session;
}

export function createOpenSessions(options: OpenSessionsOptions): OpenSessions {
  const { runtime, talkHub, letGoOfRuns, onPhase, onBug } = options;
  const holder = createHolder<HeldSession>(options);
  const held = new Set<Session>();

  const hold = async (place: Place<HeldSession>, session: Session): Promise<HeldSession> => {
    let detach: () => Promise<void>;
    try {
      detach = await attachSession(session, options);
    } catch (error) {
      await session.close();
      throw error;
    }
    session.subscribe(({ type }) => {
      if (type === 'phase.changed') onPhase();
    });
    held.add(session);
    place.thing = toHeld(session, async () => {
      held.delete(session);
      await detach();
    });
    return place.thing;
  };
  const ensureOpen = async (
    place: Place<HeldSession>,
    conversationId: string,
    model: string | undefined,
  ): Promise<HeldSession> => {
    await letGoOfRuns(conversationId);
    return place.thing ?? hold(place, await openFor(runtime, conversationId, model));
  };
  const drive = (thing: HeldSession, give: SessionCommand): Promise<Taken> =>
    new Promise((resolve, reject) => {
      const { session } = thing;
      const { conversationId } = session.record;
      let isTaken = false;
      const onTaken = (taken: SessionStop): void => {
        isTaken = true;
        onPhase();
        resolve({ conversationId, ...taken });
      };
      const pump = give(session, { onTaken }).then(onTaken, (error: unknown) => {
        // Whoever asked has had their answer.
        if (isTaken) throw error;
        reject(error);
      });
      holder.goesOn(conversationId, thing, pump);
    });

  const deskOf = (place: Place<HeldSession>, conversationId: string): SessionDesk => ({
    command: async (give, { model } = {}) => drive(await ensureOpen(place, conversationId, model), give),
    async useClosed(work) {
      if (place.thing?.isRunning)
        throw new CrewError('RUN_NOT_READY', 'The conversation cannot do that now: stop the turn first.');
      await holder.letGo(place);
      const result = await work().catch(refuseLocked);
      await talkHub.refresh(conversationId).catch((error: unknown) => onBug('refresh', error));
      onPhase();
      return result;
    },
  });

  return {
    async create(request, first) {
      holder.requireOpen();
      const session = await runtime.createConversation({ ...request, surface: 'web' });
      const { conversationId } = session.record;
      return holder.admit(conversationId, async (place) => {
        const thing = await hold(place, session);
        onPhase();
        if (!first || holder.isClosing) return statusOf(session);
        try {
          return await drive(thing, first);
        } catch (error) {
          await holder.letGo(place);
          await runtime.deleteConversation(conversationId);
          talkHub.drop(conversationId);
          throw error;
        }
      });
    },
    command: (conversationId, give, commandOptions) =>
      holder.inTurn(conversationId, (place) => deskOf(place, conversationId).command(give, commandOptions)),
    useClosed: (conversationId, work) =>
      holder.inTurn(conversationId, (place) => deskOf(place, conversationId).useClosed(work)),
    withRun: ({ projectId, conversationId, runId }, { alone, inside }) =>
      holder.inTurn(conversationId, async (place) => {
        const activeRunId = place.thing
          ? place.thing.session.view.state.activeRunId
          : await readActiveRun(runtime, { projectId, conversationId });
        return activeRunId === runId ? inside(deskOf(place, conversationId)) : alone();
      }),
    async stop(conversationId) {
      const stopIt = async (session: Session): Promise<Taken> => {
        const stop = await session.stop();
        onPhase();
        return { conversationId, ...stop };
      };
      const open = holder.get(conversationId)?.session;
      if (open) return stopIt(open);
      if (!holder.isTaken(conversationId)) return undefined;
      // It is about to be opened.
      return holder.inTurn(conversationId, async ({ thing }) => thing && stopIt(thing.session));
    },
    heldSession: (conversationId) => holder.get(conversationId)?.session,
    changesOf(id) {
      for (const session of held) {
        const changes = session.changes(id);
        if (changes) return changes;
      }
      return undefined;
    },
    isDriving: (runId) => [...held].some(({ view }) => view.state.activeRunId === runId),
    closeResting: (fits) => holder.closeResting(({ session }) => fits(session.record)),
    close: () => holder.close(),
  };
}

/** A run outlives a conversation that is gone or damaged. */
async function readActiveRun({ store }: Runtime, address: ConversationAddress): Promise<string | undefined> {
  try {
    return (await readConversationRecord(store, address)).activeRunId;
  } catch (error) {
    if (error instanceof CrewError) return undefined;
    throw error;
  }
}

/** With another model, where the one it had cannot be had any more. */
async function openFor(
  runtime: Runtime,
  conversationId: string,
  model: string | undefined,
): Promise<Session> {
  const surface = 'web';
  try {
    return await runtime.openConversation(conversationId, { surface });
  } catch (error) {
    if (!(error instanceof CrewError)) throw error;
    if (model === undefined || ['RUN_LOCKED', 'CONVERSATION_NOT_FOUND'].includes(error.code))
      return refuseLocked(error);
    return runtime.openConversation(conversationId, { surface, model: { model } });
  }
}

/** In the words of a conversation: whoever reads this has never heard of its lock. */
function refuseLocked(error: unknown): never {
  if (!(error instanceof CrewError) || error.code !== 'RUN_LOCKED') throw error;
  throw new CrewError(
    'RUN_LOCKED',
    'Another process works on this conversation, the command line perhaps; leave it there, then try again.',
    { details: { ...error.details }, cause: error },
  );
}

function toHeld(session: Session, detach: () => Promise<void>): HeldSession {
  return {
    session,
    get isRunning() {
      return session.isRunning;
    },
    get saysItRuns() {
      return activeView(session.view).phase === 'Running';
    },
    stop: () => session.stop(),
    async close() {
      try {
        await session.close();
      } finally {
        await detach();
      }
    },
  };
}

function statusOf({ record: { conversationId }, view, mode }: Session): Taken {
  const { phase, reason } = activeView(view);
  return { conversationId, mode, phase, ...(reason ? { reason } : {}) };
}

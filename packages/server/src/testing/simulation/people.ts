/** Executes the steps of people through the API, and records in the ledger what they were promised. */
import { addWorkMessage, toWorkStory } from '@crewagent/protocol/api/work-messages';
import { activeStory, createWorkStory } from '@crewagent/protocol/story/work-story';
import { shownOf } from '../server-rig.ts';
import { ignoreExpected, isRefusal, Ledger, type WatchedWork } from './ledger.ts';
import { MAX_WORKS, type Step, type StepKind } from './steps.ts';
import type { PreparedDisk, World } from './world.ts';

/** `workId` is missing if there is no Work yet. */
type Action = (workId: string | undefined) => unknown;

export function createPeople(world: World, prepared: PreparedDisk) {
  const ledger = new Ledger();
  const ofWorks = createWorkActions(world, ledger);
  const actions: Readonly<Record<StepKind, Action>> = {
    ...createMachineActions(world, prepared, ledger),
    ...(Object.fromEntries(
      Object.entries(ofWorks).map(([kind, act]): [string, Action] => [
        kind,
        (workId) => workId && act(workId),
      ]),
    ) as Record<keyof typeof ofWorks, Action>),
  };
  return {
    ledger,
    act({ kind, work }: Step): void {
      world.disk.isFull = false;
      if (!world.isUp() && kind !== 'wait') ledger.call('start', () => world.start());
      const workId = [...ledger.works.keys()][work % ledger.works.size];
      ledger.call(kind, async () => actions[kind](workId));
    },
  };
}

/** Each text is used once, so that one that was stored twice is noticed. */
function createWorkActions({ client }: World, ledger: Ledger) {
  const { works } = client;
  let count = 0;

  const pendingOf = async (workId: string, kind: 'approval' | 'question') => {
    const { pending } = activeStory(toWorkStory(await works.show({ workId })));
    return pending?.kind === kind ? pending : undefined;
  };
  const decide = async (workId: string, decision: 'once' | 'no'): Promise<void> => {
    const pending = await pendingOf(workId, 'approval');
    if (!pending) return;
    const text = `Note ${++count}.`;
    const shown = decision === 'no' ? {} : { shown: shownOf(pending) };
    await works.approve({ workId, body: { callId: pending.callId, decision, note: text, ...shown } });
    ledger.promised.push({ workId, what: 'decision', text });
  };
  return {
    async answer(workId: string) {
      const pending = await pendingOf(workId, 'question');
      if (!pending) return;
      const text = `Answer ${++count}.`;
      await works.answer({ workId, body: { callId: pending.callId, answers: { q: text } } });
      ledger.promised.push({ workId, what: 'answer', text });
    },
    approve: (workId: string) => decide(workId, 'once'),
    deny: (workId: string) => decide(workId, 'no'),
    async input(workId: string) {
      const text = `Input ${++count}.`;
      const { refusal } = await works.input({ workId, body: { text } });
      if (!refusal) ledger.promised.push({ workId, what: 'input', text });
    },
    resume: (workId: string) => works.resume({ workId, body: {} }),
    stop: (workId: string) => works.stop({ workId }),
    rewind: (workId: string) => works.rewind({ workId, body: { nodeId: 'step-01', undoesFiles: false } }),
    async remove(workId: string) {
      const work = ledger.works.get(workId);
      if (!work || work.removal === 'done') return;
      work.removal = 'requested';
      try {
        await works.remove({ workId });
        work.removal = 'done';
      } catch (error) {
        // After a broken connection it is gone, or not.
        if (isRefusal(error)) work.removal = 'none';
        throw error;
      }
    },
    /** Follows the Work until the end or a power loss, whatever happens to the server. */
    watch(workId: string) {
      const controller = new AbortController();
      const watched: WatchedWork = { workId, view: createWorkStory(workId), stop: () => controller.abort() };
      ledger.watched.add(watched);
      const follow = async (): Promise<void> => {
        for await (const message of works.events({ workId }, { signal: controller.signal }))
          watched.view = addWorkMessage(watched.view, message);
      };
      void ignoreExpected(follow()).finally(() => ledger.watched.delete(watched));
    },
  };
}

function createMachineActions(world: World, { projectId, packageHash }: PreparedDisk, ledger: Ledger) {
  let created = 0;
  let changed = 0;
  return {
    async create() {
      if (created >= MAX_WORKS) return;
      const model = `model-${created++}`;
      const approval = created % 2 === 0 ? 'ask' : 'autopilot';
      const body = { projectId, packageHash, kind: 'run', model, approval, isHeldBack: false } as const;
      const { workId } = await world.client.works.create({ body });
      ledger.works.set(workId, { model, removal: 'none' });
    },
    async neighbour() {
      const name = `setting-${++changed}`;
      await world.runNeighbour(({ settings }) => settings.update({ inputs: { person: { [name]: name } } }));
      ledger.settings.add(name);
    },
    list: () => world.client.works.list({}),
    disconnect: () => world.disconnect(),
    restart: () => world.stop(),
    wait: () => undefined,
    kill: () => world.kill(),
    /** Pages are open on the same machine. */
    'power loss': () => {
      for (const watched of ledger.watched) watched.stop();
      ledger.watched.clear();
      world.losePower();
    },
    'full disk': () => {
      world.disk.isFull = true;
    },
  };
}

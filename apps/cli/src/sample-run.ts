/**
 * What a new user sees first: the example that comes with the program, run at once on the rehearsal. It is begun over the
 * server's own API, so that the page shows it live while the terminal tells it.
 */
import type { ApiClient } from '@crewagent/protocol/api/client';
import type { RunEvent } from '@crewagent/protocol/events';
import { createNarrator } from './narrate-run.ts';
import { createScreen, toActivity } from './screen.ts';

const EXAMPLE = 'create-story-micro';

export interface SampleRun {
  /** The address of its page, below that of the server. */
  readonly place: string;
  /** Tells it on the terminal until it rests; resolves with how it ended. */
  tell(signal: AbortSignal): Promise<string | undefined>;
}

/** Undefined where somebody worked already: a sample is for those who have nothing yet. */
export async function beginSample(api: ApiClient, folder: string): Promise<SampleRun | undefined> {
  const [{ works }, { examples }] = await Promise.all([api.works.list(), api.packages.examples()]);
  if (works.length > 0) return undefined;
  if (!examples.some(({ example }) => example === EXAMPLE)) return undefined;
  const { package: installed } = await api.packages.installExample({ example: EXAMPLE });
  const { projectId } = await api.projects.open({ body: { path: folder } });
  const { workId } = await api.works.create({
    body: {
      projectId,
      kind: 'workflow',
      packageHash: installed.hash,
      model: 'rehearsal',
      approval: 'autopilot',
    },
  });
  const { state } = await api.works.show({ workId });
  const { activeRunId = '' } = state;
  return {
    place: `/p/${projectId}/w/${workId}`,
    tell: (signal) => tellRun(api, activeRunId, signal),
  };
}

async function tellRun(api: ApiClient, workId: string, signal: AbortSignal): Promise<string | undefined> {
  const { view } = await api.works.show({ workId });
  const screen = createScreen();
  const { style, width } = screen;
  const narrator = createNarrator({ style, width, nodesOf: () => view.nodes, isTyped: false });
  const tell = (event: RunEvent): void => {
    screen.write(narrator.tell(event));
    const activity = toActivity(event);
    if (activity !== 'unchanged') screen.setActivity(activity);
  };
  try {
    for await (const message of api.works.events({ workId, query: { after: '0' } }, { signal })) {
      if (message.type !== 'event') continue;
      tell(message.data);
      if (message.data.type === 'phase.changed' && message.data.phase !== 'Running')
        return message.data.phase;
    }
    return undefined;
  } finally {
    screen.write(narrator.pause());
    screen.close();
  }
}

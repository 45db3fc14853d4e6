/**
 * The sample run for new users: a rehearsal of a bundled example in their language. It is started through the server's API, so
 * that the page shows it live while the terminal prints it.
 */
import type { ApiClient } from '@crewagent/protocol/api/client';
import type { RunEvent } from '@crewagent/protocol/events';
import type { Language } from '@crewagent/protocol/languages';
import { type Status, toStatus } from '@crewagent/protocol/status';
import { addToWorkStory, createWorkStory } from '@crewagent/protocol/story/work-story';
import { describeFacts, toActivity } from './print/activity.ts';
import { LiveText } from './print/live-text.ts';
import { createScreen } from './print/screen.ts';
import { userLanguage } from './user-language.ts';

const EXAMPLES: Readonly<Record<Language, string>> = {
  en: 'create-story-micro',
  'zh-CN': 'create-story-micro-zh',
};

export interface SampleRun {
  readonly example: string;
  /** URL path of its page. */
  readonly path: string;
  /** Prints it on the terminal until it stops; resolves with its status. */
  follow(signal: AbortSignal): Promise<Status | undefined>;
}

/** Undefined if there is any work already: the sample is for new users. */
export async function startSample(
  api: ApiClient,
  folder: string,
  language: Language,
): Promise<SampleRun | undefined> {
  const [{ works }, { examples }] = await Promise.all([api.works.list(), api.packages.examples()]);
  if (works.length > 0) return undefined;
  const example = EXAMPLES[language];
  if (!examples.some((bundled) => bundled.example === example)) return undefined;
  const { package: installed } = await api.packages.installExample({ example });
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
    example,
    path: `/p/${projectId}/w/${workId}`,
    follow: (signal) => printRun(api, activeRunId, signal),
  };
}

async function printRun(api: ApiClient, workId: string, signal: AbortSignal): Promise<Status | undefined> {
  const view = createWorkStory(workId);
  const screen = createScreen({ facts: () => describeFacts(view) });
  const { style, width } = screen;
  const language = userLanguage();
  const live = new LiveText({ style, width, language, view, isTyped: false });
  const show = (event: RunEvent): void => {
    addToWorkStory(view, event);
    screen.write(live.add(event));
    const activity = toActivity(event, { view, language });
    if (activity !== 'unchanged') screen.setActivity(activity);
  };
  try {
    for await (const message of api.works.events({ workId, query: { after: '0' } }, { signal })) {
      if (message.type !== 'event') continue;
      show(message.data);
      if (message.data.type !== 'phase.changed') continue;
      const status = toStatus(message.data);
      if (!status.isRunning) return status;
    }
    return undefined;
  } finally {
    screen.write(live.pause());
    screen.close();
  }
}

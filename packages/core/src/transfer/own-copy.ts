/**
 * What a store makes of a Work from another one. Where requests go, what is asked about and which files are secret is decided here: the
 * sender could send a key to any address, or allow itself everything.
 */

import type { EventOf, RunEvent } from '@crewagent/protocol/events';
import type { RunModel } from '@crewagent/protocol/model';
import type { Settings } from '@crewagent/protocol/settings';
import type { WorkRecord } from '@crewagent/protocol/work';
import type { WorkCopy } from '../store/work-store.ts';
import { refused } from './unpack-works.ts';

export interface OwnPlace {
  readonly projectId: string;
  readonly settings: Settings;
  /** That a person chose; default: what the settings here have for the model of the Work. */
  readonly model?: RunModel | undefined;
  readonly now: () => Date;
  /** Who moved the root, or where it came from. */
  readonly note: Pick<EventOf<'work.moved'>, 'by' | 'from'>;
  /** The record of an older copy. */
  known(workId: string): WorkRecord | undefined;
}

export function toOwnCopy(copy: WorkCopy, place: OwnPlace): WorkCopy {
  const { record, events } = copy;
  const { projectId, settings, now, note } = place;
  const known = place.known(record.workId);
  const { approval = 'ask' } = known?.tools ?? settings.tools;
  const moved: RunEvent = {
    v: 1,
    seq: events.length + 1,
    ts: now().toISOString(),
    runId: record.workId,
    type: 'work.moved',
    ...(record.parentId === undefined ? note : {}),
  };
  return {
    ...copy,
    record: {
      ...record,
      projectId,
      model: place.model ?? toOwnModel(record.model, settings),
      tools: { ...settings.tools, approval, artifactsDir: record.tools.artifactsDir },
    } as WorkRecord,
    events: [...events, moved],
  };
}

/** The same model in the settings of this store, or its default model; otherwise the address that its provider is known for. */
function toOwnModel(model: RunModel, { models, defaultModel }: Settings): RunModel {
  if (model.kind === 'rehearsal' || model.kind === 'host') return model;
  if (model.kind === 'replay') throw refused('it replays a recording, which stays where it is');
  const { profile, settings } = model;
  const names = Object.keys(models);
  const name =
    names.find((one) => one === profile) ??
    names.find((one) => models[one]?.model === settings.model) ??
    names.find((one) => one === defaultModel);
  const own = name === undefined ? undefined : models[name];
  if (own) return { kind: 'provider', profile: name, settings: own };
  return { kind: 'provider', settings: { provider: settings.provider, model: settings.model } };
}

/**
 * Reopens a closed conversation with one scripted model per name, and records which models are opened, asked and closed.
 */
import type { RunEvent } from '@crewagent/protocol/events';
import { settingsSchema } from '@crewagent/protocol/settings';
import { VERSION } from '@crewagent/protocol/version';
import { onTestFinished } from 'vitest';
import { CrewError } from '../../base/crew-error.ts';
import { createUuidV7 } from '../../base/uuid-v7.ts';
import { openSession } from '../../session/open-session.ts';
import { toAddress } from '../../store/work-address.ts';
import { createScriptedModel } from '../models/scripted-model.ts';
import type { SessionRig } from './session-rig.ts';

export async function openCounted(
  rig: SessionRig,
  { open = [], onSettings }: { open?: string[]; onSettings?: () => Promise<void> } = {},
) {
  /** Names of the models that were asked, in order; `open` are those of the open ones. */
  const asked: string[] = [];
  const events: RunEvent[] = [];
  const now = (): Date => new Date();
  const session = await openSession(toAddress(rig.session.record), {
    store: rig.store,
    context: { runtimeVersion: VERSION, knownServers: new Set() },
    now,
    newId: createUuidV7(now),
    surface: 'electron',
    async settings() {
      await onSettings?.();
      return settingsSchema.parse({});
    },
    chooseModel: ({ model = '' }) =>
      Promise.resolve({ kind: 'provider', settings: { provider: 'generic', model } }),
    createAdapter(model) {
      const name = model.kind === 'provider' ? model.settings.model : model.kind;
      if (name === 'missing') return Promise.reject(new CrewError('LLM_AUTH_FAILED', 'There is no key.'));
      const inner = createScriptedModel(() => 'Which?');
      open.push(name);
      return Promise.resolve({
        ...inner,
        chat(request, watch) {
          asked.push(name);
          return inner.chat(request, watch);
        },
        close() {
          if (!open.includes(name)) rig.bugs.push(new Error(`"${name}" was closed twice`));
          else open.splice(open.indexOf(name), 1);
        },
      });
    },
    onBug: (_, error) => rig.bugs.push(error),
  });
  onTestFinished(() => session.close());
  session.subscribe((event) => events.push(event));
  return { session, open, asked, events };
}

/** Sections of the settings on this server, for this person. */
import { useMemo } from 'react';
import { useIsAdmin, useOffers } from '../state/team-server.ts';
import { SECTIONS, type SectionName } from './setting-index.ts';

/** What everybody in a team may see; the others are its administrators'. */
const FOR_ALL: ReadonlySet<SectionName> = new Set(['model', 'costs', 'appearance', 'policy']);

export function useOfferedSections(): readonly SectionName[] {
  const hasMachine = useOffers('system.storage');
  const hasHooks = useOffers('hooks.list');
  const isAdmin = useIsAdmin();
  return useMemo(
    () =>
      SECTIONS.filter(
        (name) =>
          (name !== 'hooks' || hasHooks) &&
          (hasMachine || (name !== 'data' && name !== 'about')) &&
          (isAdmin || FOR_ALL.has(name)),
      ),
    [hasMachine, hasHooks, isAdmin],
  );
}

/** `crewagent export-skill`: a package as a folder with SKILL.md, which runs it through our server. */
import { resolve } from 'node:path';
import { loadInstalled, resolveInstalled } from '@crewagent/core';
import { exportSkill as writeSkill } from '@crewagent/doors/export-skill';
import { validationContext } from '../context.ts';
import { openStore } from '../open-store.ts';
import { printDone, sanitize } from '../terminal.ts';

export async function exportSkill(ref: string, { out }: { readonly out: string }): Promise<void> {
  const store = openStore();
  const { hash, name } = await resolveInstalled(store, ref, { isNewest: true });
  const loaded = await loadInstalled(hash, store, validationContext);
  const file = await writeSkill(name, loaded, resolve(out));
  printDone(sanitize(file));
}

/** Opens a conversation, or the screen that starts one, in front of the files and the graph that are open in its project. */
import { showFile } from '../state/open-files.ts';
import type { ProjectRoute } from './last-route.ts';
import { navigate } from './router.ts';

export function openInFront(route: ProjectRoute): void {
  showFile(route.projectId, undefined);
  navigate(route);
}

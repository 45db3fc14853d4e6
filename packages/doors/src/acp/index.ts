/** Conversations and workflows in editors (Agent Client Protocol), loaded by `crewagent acp` only. */
export { serveEditor } from './serve-editor.ts';

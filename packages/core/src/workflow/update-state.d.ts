/**
 * A state patch applied to a state document: as a value, and as text in which comments, key order, line endings and
 * everything that was not asked for stay as they were. Pure.
 */
import type { StateUpdate } from '@crewagent/protocol/workflow';
/** The document with the update made; undefined when it has no readable frontmatter. */
export declare function updateStateText(text: string, update: StateUpdate): string | undefined;

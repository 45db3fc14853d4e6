import type { OpenWork, SessionStop } from '@crewagent/core';

/** What a Work is to do next. Resolves when it has stopped again. */
export type WorkCommand = (work: OpenWork) => Promise<SessionStop>;

/** Runs in every file of the project: closes the pages of a test when it ends. */
import { afterEach } from 'vitest';
import { releaseContexts } from './browser-contexts.ts';

afterEach(releaseContexts);

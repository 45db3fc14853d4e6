/** Property tests use the same few cases each time, so that results are reproducible. */
import { configureGlobal } from 'fast-check';

configureGlobal({ numRuns: 40, seed: 1 });

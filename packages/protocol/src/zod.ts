/**
 * zod as we use it everywhere: without the code it would otherwise write for each schema when that is first used. Most of
 * ours are used once or twice in a process, so writing code costs far more than it saves; and a page may not run such code.
 */
import { config } from 'zod';

export * from 'zod';

config({ jitless: true });

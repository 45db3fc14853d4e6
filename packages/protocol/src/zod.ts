/**
 * zod without its JIT compiler. Most of our schemas are used once or twice in a process, so compiling costs more than it saves;
 * and the page's content security policy forbids generated code.
 */
import { config } from 'zod';

export * from 'zod';

config({ jitless: true });

/**
 * The functional form of zod, which builds a schema in half the time: schemas are built whenever a program starts. Without its JIT
 * compiler: most of our schemas are used once or twice in a process, so compiling costs more than it saves; and the page's content
 * security policy forbids generated code.
 */
import { config, locales } from 'zod/mini';

export * from 'zod/mini';

config({ ...locales.en(), jitless: true });

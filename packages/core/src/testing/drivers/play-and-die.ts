/** A process that plays and kills itself at a moment. Arguments: the name of the play, its options and the moment, as JSON. */
import type { Kill } from '../crashes/moments.ts';
import { PLAYS } from '../crashes/plays.ts';

const [name = '', options = '', kill = ''] = process.argv.slice(2);
const play = PLAYS[name as keyof typeof PLAYS] as (options: unknown, kill: Kill) => Promise<unknown>;
await play(JSON.parse(options), JSON.parse(kill) as Kill);

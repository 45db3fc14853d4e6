/**
 * `npm run bench`: every ratio we promise, measured on this machine.
 */
import { benchImport } from './import.ts';
import { printRows } from './measure.ts';
import { benchStart } from './start.ts';
import { benchValidate } from './validate.ts';

printRows([...(await benchStart()), ...(await benchValidate()), ...(await benchImport())]);

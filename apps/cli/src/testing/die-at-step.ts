/**
 * A module that kills its process before a step, by number (DIE_AT): a rename, a removal, a request, or what follows an answer. Otherwise it
 * counts them in the file COUNTED.
 */
export const DIE = `
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
let count = 0;
const step = () => {
  if (++count === Number(process.env.DIE_AT)) process.kill(process.pid, 'SIGKILL');
};
const before = (work) => (...args) => (step(), work(...args));
fs.renameSync = before(fs.renameSync);
fs.promises.rename = before(fs.promises.rename);
fs.promises.rm = before(fs.promises.rm);
syncBuiltinESMExports();
const { fetch } = globalThis;
globalThis.fetch = (...args) => (step(), fetch(...args).finally(step));
process.on('exit', () => fs.writeFileSync(process.env.COUNTED, String(count)));
`;

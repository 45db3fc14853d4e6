/** A module that kills its process before a rename, by number (DIE_AT); otherwise it counts them in the file COUNTED. */
export const DIE = `
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
let count = 0;
const { renameSync } = fs;
const { rename } = fs.promises;
const step = () => {
  if (++count === Number(process.env.DIE_AT)) process.kill(process.pid, 'SIGKILL');
};
fs.renameSync = (...args) => (step(), renameSync(...args));
fs.promises.rename = (...args) => (step(), rename(...args));
syncBuiltinESMExports();
process.on('exit', () => fs.writeFileSync(process.env.COUNTED, String(count)));
`;

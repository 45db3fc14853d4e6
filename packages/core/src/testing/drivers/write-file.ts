/** A process that writes one file of a project as a run does, and prints the code of the error. Arguments: project, path. */
import { createMountedFs } from '../../mounts/mounted-fs.ts';
import { reportFaults } from '../../mounts/report-faults.ts';

const [project = '', path = ''] = process.argv.slice(2);
const roots = { project, pkg: undefined, state: undefined };
const files = reportFaults(
  createMountedFs(roots, () => false),
  roots,
  'artifacts',
);
const code = await files
  .replace({ mount: '@project', segments: path.split('/') }, Buffer.from('x'), { tempName: '.writing' })
  .then(() => 'written')
  .catch((error: { code?: string }) => error.code ?? String(error));
process.stdout.write(code);

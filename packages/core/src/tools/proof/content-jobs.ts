/** Content checks as they run in a worker thread. Bundled on its own; the product imports its source. */
import { serveJobs } from '../../base/worker/serve-jobs.ts';
import { type ContentJob, judgeContent } from './judge-content.ts';

serveJobs({
  *judge({ path, bytes, wanted }: ContentJob) {
    yield judgeContent(path, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), wanted);
  },
});

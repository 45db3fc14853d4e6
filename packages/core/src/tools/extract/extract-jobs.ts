/** Extracts the text of documents in a worker thread. Bundled on its own with its parsers; the product imports its source. */
import { serveJobs } from '../../base/worker/serve-jobs.ts';
import type { Extraction } from './extraction.ts';
import { readPdf } from './read-pdf.ts';
import { readSheets } from './read-sheets.ts';
import { readWord } from './read-word.ts';

serveJobs({
  *pdf(bytes: Uint8Array) {
    yield readPdf(bytes);
  },
  *word(bytes: Uint8Array) {
    yield settle(() => readWord(bytes));
  },
  *sheets(bytes: Uint8Array) {
    yield settle(() => readSheets(bytes));
  },
});

/** Parsers throw on damaged input. */
function settle(read: () => Extraction): Extraction {
  try {
    return read();
  } catch {
    return { issue: 'damaged' };
  }
}

/** Adds messages and files of all Works to the palette, by words in their text. */
import { FileText, TextSearch } from 'lucide-react';
import { useMemo } from 'react';
import { useApi } from '../../api/api-context.tsx';
import { useTranslation } from '../../i18n/use-translation.ts';
import type { Command } from '../../palette/commands.ts';
import { MAX_PER_KIND, useFinder } from '../../palette/finders.ts';
import { openFound } from '../../works/open-found.ts';

export function TextFinder(): undefined {
  const { t } = useTranslation();
  const client = useApi();
  const finder = useMemo(
    () => ({
      find: async (text: string, signal: AbortSignal): Promise<readonly Command[]> => {
        const query = { q: text, limit: String(MAX_PER_KIND) };
        const { works } = await client.search.find({ query }, { signal });
        return works.flatMap((work) =>
          work.snippets
            // The palette lists titles itself.
            .filter(({ kind }) => kind !== 'title')
            .slice(0, 1)
            .map((snippet): Command => {
              const { runId, seq, path } = snippet;
              return {
                id: `text ${runId} ${seq} ${path ?? ''}`,
                title: work.title,
                icon: path === undefined ? <TextSearch /> : <FileText />,
                group: t('works.inText'),
                snippet,
                run: () => openFound(work, snippet),
              };
            }),
        );
      },
    }),
    [client, t],
  );
  useFinder(finder);
  return undefined;
}

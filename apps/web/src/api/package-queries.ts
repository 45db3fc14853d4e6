/** Queries about one package. Content under a hash is immutable, so most of it is requested once. */
import type { ApiClient } from '@crewagent/protocol/api/client';
import type { ShownExample } from '@crewagent/protocol/api/packages';
import { languageOfExample } from '@crewagent/protocol/languages';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from '../i18n/use-translation.ts';
import { useApi } from './api-context.tsx';
import { KEYS } from './queries.ts';

export type ShownPackage = Awaited<ReturnType<ApiClient['packages']['show']>>;
export type ShownGraphOf = Awaited<ReturnType<ApiClient['packages']['graph']>>;
export type PackageUsers = Awaited<ReturnType<ApiClient['packages']['users']>>;
export type ValidationReport = Awaited<ReturnType<ApiClient['packages']['validation']>>;

export function usePackage(hash: string) {
  const client = useApi();
  return useQuery({
    queryKey: KEYS.package(hash),
    retry: false,
    queryFn: ({ signal }) => client.packages.show({ hash }, { signal }),
  });
}

export function useValidation(hash: string) {
  const client = useApi();
  return useQuery({
    queryKey: ['validation', hash],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) => client.packages.validation({ hash }, { signal }),
  });
}

export function useStep(hash: string, workflow: string, nodeId: string) {
  const client = useApi();
  return useQuery({
    queryKey: ['step', hash, workflow, nodeId],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) => client.packages.node({ hash, nodeId, query: { workflow } }, { signal }),
  });
}

/** Packages bundled with the program, those in the language of the page first; their installed state changes with the packages. */
export function useExamples() {
  const client = useApi();
  const { i18n } = useTranslation();
  return useQuery({
    queryKey: KEYS.examples,
    queryFn: async ({ signal }) => (await client.packages.examples({}, { signal })).examples,
    select: (examples) => sortByLanguage(examples, i18n.language),
  });
}

/** Examples in the language of the page come first. Nothing else knows the language of an example. */
function sortByLanguage(examples: readonly ShownExample[], language: string): ShownExample[] {
  const isInLanguage = ({ example }: ShownExample): boolean => languageOfExample(example) === language;
  return [...examples.filter(isInLanguage), ...examples.filter((example) => !isInLanguage(example))];
}

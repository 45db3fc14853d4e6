/** Languages the editor can highlight. */
import { json } from '@codemirror/lang-json';
import { markdown, markdownLanguage } from '@codemirror/lang-markdown';
import { yaml, yamlFrontmatter } from '@codemirror/lang-yaml';
import type { Extension } from '@codemirror/state';

export type CodeLanguage = 'markdown' | 'yaml' | 'json' | 'text';

export function languageExtension(language: CodeLanguage): Extension {
  switch (language) {
    case 'markdown':
      return yamlFrontmatter({ content: markdown({ base: markdownLanguage }) });
    case 'yaml':
      return yaml();
    case 'json':
      return json();
    case 'text':
      return [];
  }
}
